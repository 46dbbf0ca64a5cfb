// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Encodes `Encodable` parameters as ``URLEncoding`` does, into the query or the body.
///
/// Each value is encoded as `encoder` would in JSON: its strategies for keys, dates and data apply. A top-level value
/// without keys is refused; null values are omitted.
public struct URLEncodedFormParameterEncoder: ParameterEncoder {
    /// Where the parameters go, and their format.
    public let encoding: URLEncoding
    /// Encodes each value.
    public let encoder: JSONEncoder

    /// Creates an encoder that puts parameters where `encoding` does.
    public init(encoding: URLEncoding = .default, encoder: JSONEncoder = JSONEncoder()) {
        self.encoding = encoding
        self.encoder = encoder
    }

    /// The query for GET, HEAD and DELETE, otherwise the body.
    public static var `default`: URLEncodedFormParameterEncoder { URLEncodedFormParameterEncoder() }

    public func encode<Parameters: Encodable>(_ parameters: Parameters?, into request: URLRequest) throws -> URLRequest
    {
        guard let parameters else { return request }
        return try encoding.encode(request, with: try dictionary(of: parameters))
    }

    private func dictionary<Parameters: Encodable>(of parameters: Parameters) throws -> [String: Any] {
        do {
            let value = try JSONSerialization.jsonObject(with: try encoder.encode(parameters), options: .allowFragments)
            guard let dictionary = value as? [String: Any] else { throw JSONEncoding.Error.invalidJSONObject }
            return dictionary.compactMapValues(Self.withoutNull)
        } catch {
            throw AFError.parameterEncodingFailed(reason: .jsonEncodingFailed(error: error))
        }
    }

    private static func withoutNull(_ value: Any) -> Any? {
        switch value {
        case is NSNull: nil
        case let dictionary as [String: Any]: dictionary.compactMapValues(withoutNull)
        case let array as [Any]: array.compactMap(withoutNull)
        default: value
        }
    }
}
