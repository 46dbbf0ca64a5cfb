// SPDX-License-Identifier: Apache-2.0
public import TernWebSocket

extension SessionManager {
    /// Opens a WebSocket. The request's handlers receive any error.
    ///
    /// - Parameters:
    ///   - url: a URL with the scheme ws, wss, http or https.
    ///   - configuration: how it is opened and kept.
    ///   - headers: header fields, in place of the session's of the same name.
    @discardableResult
    public func webSocketRequest(
        to url: any URLConvertible, configuration: WebSocketConfiguration = WebSocketConfiguration(),
        headers: HTTPHeaders? = nil
    ) -> WebSocketRequest {
        start(WebSocketRequest(Result { try makeRequest(url, .get, headers) }, configuration, context: context))
    }

    /// Opens a WebSocket with a request: a GET without a body.
    @discardableResult
    public func webSocketRequest(
        performing urlRequest: any URLRequestConvertible,
        configuration: WebSocketConfiguration = WebSocketConfiguration()
    ) -> WebSocketRequest {
        start(WebSocketRequest(Result { try urlRequest.asURLRequest() }, configuration, context: context))
    }
}
