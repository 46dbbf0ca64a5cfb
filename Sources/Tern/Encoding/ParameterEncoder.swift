// SPDX-License-Identifier: Apache-2.0

/// A way of putting `Encodable` parameters into a request, as in Alamofire 5.
public protocol ParameterEncoder: Sendable {
    /// The request with the parameters in it; as it is, if they are nil. A Content-Type that is there stays.
    ///
    /// - Throws: `AFError.parameterEncodingFailed`.
    func encode<Parameters: Encodable>(_ parameters: Parameters?, into request: URLRequest) throws -> URLRequest
}
