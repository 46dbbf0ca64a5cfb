// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernEngine

extension Session {
    /// Opens a WebSocket (RFC 6455): sends the request with the fields of the handshake, and takes the connection over when
    /// the server agrees. The URL may begin with `ws` or `wss`, which mean `http` and `https`.
    ///
    /// The handshake is a request like any other: proxies, pins, credentials, cookies, redirects, retries and the egress
    /// policy are as for `data(for:)`; through a proxy it takes a tunnel. Cancelling the Swift task cancels it.
    ///
    /// Throws what `data(for:)` throws, `upgradeRefused` for a response other than 101, and `webSocket(.handshake)` for a
    /// 101 that opens no WebSocket.
    ///
    /// - Parameters:
    ///   - request: a GET without a body.
    ///   - configuration: how it is opened and kept.
    ///   - receiver: gets the messages as they arrive, in place of those who call `receive()`; retained until the end.
    ///   - delegate: is told of the handshake, as for `data(for:delegate:)`.
    public func webSocket(
        for request: URLRequest, configuration: WebSocketConfiguration = WebSocketConfiguration(),
        receiver: (any WebSocketReceiver)? = nil, delegate: (any SessionTaskDelegate)? = nil
    ) async throws(SessionError) -> WebSocket {
        let configuration = configuration.offering(what: request)
        let handshake = OpeningHandshake(configuration)
        let (stream, response) = try await upgrade(for: handshake.request(request), delegate: delegate)
        return try handshake.open(stream, response, configuration, receiver: receiver)
    }

    /// Opens a WebSocket at a URL.
    public func webSocket(
        from url: URL, configuration: WebSocketConfiguration = WebSocketConfiguration()
    ) async throws(SessionError) -> WebSocket {
        try await webSocket(for: URLRequest(url: url), configuration: configuration)
    }
}

extension OpeningHandshake {
    /// Takes over the connection of a server that has switched protocols.
    ///
    /// - Parameter observer: not retained.
    package func open(
        _ stream: StreamTask, _ response: HTTPURLResponse, _ configuration: WebSocketConfiguration,
        receiver: (any WebSocketReceiver)? = nil, observer: (any WebSocketObserver)? = nil
    ) throws(SessionError) -> WebSocket {
        let outcome: Outcome
        let connection: WebSocketConnection
        do throws(WebSocketHandshakeViolation) {
            outcome = try self.outcome(of: response)
        } catch {
            stream.cancel()
            throw stream.error(.transfer(.webSocket(.handshake(error))))
        }
        do throws(ContentDecodingError) {
            connection = try WebSocketConnection(stream, configuration, outcome.compression, receiver)
        } catch {
            stream.cancel()
            throw stream.error(.transfer(.outOfMemory))
        }
        connection.observer = observer
        let socket = WebSocket(connection, over: stream, outcome)
        socket.begin()
        return socket
    }
}
