// SPDX-License-Identifier: Apache-2.0

/// Encodes `Encodable` parameters into a request, as in Alamofire 5.
public protocol ParameterEncoder: Sendable {
    /// Returns the request with the parameters; unchanged if they are nil. An existing Content-Type is kept.
    ///
    /// - Throws: `AFError.parameterEncodingFailed`.
    func encode<Parameters: Encodable>(_ parameters: Parameters?, into request: URLRequest) throws -> URLRequest
}
