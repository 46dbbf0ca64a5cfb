// SPDX-License-Identifier: Apache-2.0

/// Sends a request through ``SessionManager/default``; see ``SessionManager/request(_:method:parameters:encoding:headers:)``.
@discardableResult
public func request(
    _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
    encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil
) -> DataRequest {
    SessionManager.default.request(
        url, method: method, parameters: parameters, encoding: encoding, headers: headers)
}

/// Sends a request through ``SessionManager/default``; see ``SessionManager/request(_:)``.
@discardableResult
public func request(_ urlRequest: any URLRequestConvertible) -> DataRequest {
    SessionManager.default.request(urlRequest)
}
