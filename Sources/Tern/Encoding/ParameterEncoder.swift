// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Encodes `Encodable` parameters into a request, as in Alamofire 5.
public protocol ParameterEncoder: Sendable {
    /// Returns the request with the parameters; unchanged if they are nil. An existing Content-Type is kept.
    ///
    /// - Throws: `AFError.parameterEncodingFailed`.
    func encode<Parameters: Encodable>(_ parameters: Parameters?, into request: URLRequest) throws -> URLRequest
}

/// `Encodable` parameters as JSON in the body.
public struct JSONParameterEncoder: ParameterEncoder {
    /// The encoder of the JSON.
    public let encoder: JSONEncoder

    /// Uses this encoder, which must not be changed afterwards.
    public init(encoder: JSONEncoder = JSONEncoder()) {
        self.encoder = encoder
    }

    /// Uses a default `JSONEncoder`.
    public static var `default`: JSONParameterEncoder { JSONParameterEncoder() }

    public func encode<Parameters: Encodable>(_ parameters: Parameters?, into request: URLRequest) throws -> URLRequest
    {
        guard let parameters else { return request }
        var request = request
        do {
            request.setContent(.data(try encoder.encode(parameters)), type: "application/json")
        } catch {
            throw AFError.parameterEncodingFailed(reason: .jsonEncodingFailed(error: error))
        }
        return request
    }
}

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

/// A request whose parameters are not encoded yet.
struct EncodableRequest<Parameters: Encodable & Sendable>: URLRequestConvertible {
    let url: any URLConvertible
    let method: HTTPMethod
    let parameters: Parameters?
    let encoder: any ParameterEncoder
    let headers: HTTPHeaders?

    func asURLRequest() throws -> URLRequest {
        try encoder.encode(parameters, into: try URLRequest(url: url, method: method, headers: headers))
    }
}
