// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// `Encodable` parameters as ``URLEncoding`` puts them into the query or the body.
///
/// Each value is what `encoder` would write for it in JSON: its strategies for keys, dates and data hold here too. What
/// is no dictionary or structure at the top has no keys, and is refused; what is null is left out.
public struct URLEncodedFormParameterEncoder: ParameterEncoder {
    /// Where the parameters go, and in which spelling.
    public let encoding: URLEncoding
    /// Says what each value comes to.
    public let encoder: JSONEncoder

    /// Puts parameters where `encoding` does.
    public init(encoding: URLEncoding = .default, encoder: JSONEncoder = JSONEncoder()) {
        self.encoding = encoding
        self.encoder = encoder
    }

    /// Into the query for GET, HEAD and DELETE, else into the body.
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
