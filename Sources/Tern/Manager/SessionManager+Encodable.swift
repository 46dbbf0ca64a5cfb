// SPDX-License-Identifier: Apache-2.0

extension SessionManager {
    /// Creates a request with `Encodable` parameters. Its handlers receive any error.
    ///
    /// - Parameters:
    ///   - url: an http or https URL.
    ///   - method: the method.
    ///   - parameters: the parameters that `encoder` puts into the request; nil leaves it unchanged.
    ///   - encoder: the encoding of the parameters, and their destination.
    ///   - headers: header fields, in place of the session's of the same name.
    @discardableResult
    public func request<Parameters: Encodable & Sendable>(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters?,
        encoder: any ParameterEncoder, headers: HTTPHeaders? = nil
    ) -> DataRequest {
        request(
            EncodableRequest(url: url, method: method, parameters: parameters, encoder: encoder, headers: headers))
    }
}

/// Sends a request through ``SessionManager/default``; see
/// ``SessionManager/request(_:method:parameters:encoder:headers:)``.
@discardableResult
public func request<Parameters: Encodable & Sendable>(
    _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters?, encoder: any ParameterEncoder,
    headers: HTTPHeaders? = nil
) -> DataRequest {
    SessionManager.default.request(url, method: method, parameters: parameters, encoder: encoder, headers: headers)
}
