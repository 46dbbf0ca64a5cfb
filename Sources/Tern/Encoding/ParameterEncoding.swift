// SPDX-License-Identifier: Apache-2.0

/// Parameters of a request: text, numbers, booleans, and arrays and dictionaries of them.
public typealias Parameters = [String: Any]

/// Encodes parameters into a request.
public protocol ParameterEncoding {
    /// Returns the request with the parameters; unchanged if they are nil. An existing Content-Type is kept.
    ///
    /// - Throws: `AFError.parameterEncodingFailed`, or the error of `asURLRequest()`.
    func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest
}
