// SPDX-License-Identifier: Apache-2.0

/// Parameters of a request: text, numbers, booleans, and arrays and dictionaries of them.
public typealias Parameters = [String: Any]

/// A way of putting parameters into a request.
public protocol ParameterEncoding {
    /// The request with the parameters in it; as it is, if they are nil. A Content-Type that is there stays.
    ///
    /// - Throws: `AFError.parameterEncodingFailed`, or what `asURLRequest()` throws.
    func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest
}
