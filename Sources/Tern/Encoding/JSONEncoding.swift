// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Parameters as a JSON object in the body.
public struct JSONEncoding: ParameterEncoding, Sendable {
    /// Why a value is not representable in JSON.
    public enum Error: Swift.Error, Sendable {
        /// It is, or contains, a value without a JSON form: a date, a NaN, a key that is not a string.
        case invalidJSONObject
    }

    /// The options of the output, such as `.sortedKeys`.
    public let options: JSONSerialization.WritingOptions

    /// Creates an encoding with these options.
    public init(options: JSONSerialization.WritingOptions = []) {
        self.options = options
    }

    /// Compact.
    public static var `default`: JSONEncoding { JSONEncoding() }
    /// On several lines, indented.
    public static var prettyPrinted: JSONEncoding { JSONEncoding(options: .prettyPrinted) }

    /// Returns the request with the parameters as its body; unchanged if they are nil.
    ///
    /// - Throws: `AFError.parameterEncodingFailed`, or the error of `asURLRequest()`.
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        try encode(urlRequest, withJSONObject: parameters)
    }

    /// Returns the request with an array or dictionary as its body; unchanged if that is nil.
    ///
    /// - Throws: `AFError.parameterEncodingFailed`, or the error of `asURLRequest()`.
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
            // JSONSerialization traps on values that this check refuses.
            guard JSONSerialization.isValidJSONObject(object) else { throw Error.invalidJSONObject }
            return try JSONSerialization.data(withJSONObject: object, options: options)
        } catch {
            throw AFError.parameterEncodingFailed(reason: .jsonEncodingFailed(error: error))
        }
    }
}
