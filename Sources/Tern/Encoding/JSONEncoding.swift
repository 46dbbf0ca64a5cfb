// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Parameters as a JSON object in the body.
public struct JSONEncoding: ParameterEncoding, Sendable {
    /// Why something is not representable in JSON.
    public enum Error: Swift.Error, Sendable {
        /// It is, or holds, what JSON has no word for: a date, a NaN, a key that is no text.
        case invalidJSONObject
    }

    /// How to write, such as `.sortedKeys`.
    public let options: JSONSerialization.WritingOptions

    /// An encoding that writes with these options.
    public init(options: JSONSerialization.WritingOptions = []) {
        self.options = options
    }

    /// As short as can be.
    public static var `default`: JSONEncoding { JSONEncoding() }
    /// On several lines, indented.
    public static var prettyPrinted: JSONEncoding { JSONEncoding(options: .prettyPrinted) }

    /// The request with the parameters as its body; as it is, if they are nil.
    ///
    /// - Throws: `AFError.parameterEncodingFailed`, or what `asURLRequest()` throws.
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        try encode(urlRequest, withJSONObject: parameters)
    }

    /// The request with an array or dictionary as its body; as it is, if that is nil.
    ///
    /// - Throws: `AFError.parameterEncodingFailed`, or what `asURLRequest()` throws.
    public func encode(_ urlRequest: any URLRequestConvertible, withJSONObject jsonObject: Any? = nil) throws
        -> URLRequest
    {
        var request = try urlRequest.asURLRequest()
        guard let jsonObject else { return request }
        request.setBody(try body(jsonObject), contentType: "application/json")
        return request
    }

    private func body(_ object: Any) throws -> Data {
        do {
            // JSONSerialization traps on what this check refuses.
            guard JSONSerialization.isValidJSONObject(object) else { throw Error.invalidJSONObject }
            return try JSONSerialization.data(withJSONObject: object, options: options)
        } catch {
            throw AFError.parameterEncodingFailed(reason: .jsonEncodingFailed(error: error))
        }
    }
}
