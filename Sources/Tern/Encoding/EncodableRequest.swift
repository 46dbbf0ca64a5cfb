// SPDX-License-Identifier: Apache-2.0

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
