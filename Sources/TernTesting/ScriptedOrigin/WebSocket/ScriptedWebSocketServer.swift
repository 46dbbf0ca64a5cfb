// SPDX-License-Identifier: Apache-2.0

/// A WebSocket server on a loopback address that runs a script, valid or not, and reports what it received: a
/// ``ScriptedOrigin`` that takes every request for a handshake.
///
/// ```swift
/// let server = try ScriptedWebSocketServer { connection, message in
///     [.text("heard \(message.text ?? "bytes")"), .close(1000)]
/// }
/// // … let a client open server.url("/chat"), and say "hello" …
/// let isClosed = await server.waitFor { $0.webSockets.first?.close?.code == 1000 }
/// ```
public final class ScriptedWebSocketServer: Sendable {
    /// The answer to a request on the numbered connection, counted from 1.
    public typealias Handshake = @Sendable (_ connection: Int, _ request: ReceivedRequest) -> WebSocketHandshake

    /// The origin that serves: its port, its identity, what it observes of requests and of TLS.
    public let origin: ScriptedOrigin

    /// Starts a server that runs the script on each WebSocket; by default it echoes.
    ///
    /// - Parameters:
    ///   - configuration: the address, sizes, and faults.
    ///   - identity: the certificate for TLS; nil for plain TCP.
    ///   - tlsOptions: the TLS settings.
    ///   - script: what happens on a WebSocket. Must not capture the server, which would then never be released.
    ///   - handshake: the answer to each request; accepts every valid one by default.
    /// - Throws: ``ScriptedOriginError`` if a socket, a thread or the TLS context cannot be created.
    public init(
        _ configuration: OriginConfiguration = OriginConfiguration(), tls identity: Identity? = nil,
        tlsOptions: OriginTLSOptions = OriginTLSOptions(), script: WebSocketScript = WebSocketScript(),
        handshake: @escaping Handshake = { _, _ in .accept() }
    ) throws(ScriptedOriginError) {
        origin = try ScriptedOrigin(configuration, tls: identity, tlsOptions: tlsOptions) { connection, request in
            .webSocket(request, handshake(connection, request), script: script)
        }
    }

    /// Starts a server that takes the steps after each message.
    ///
    /// - Parameters:
    ///   - identity: the certificate for TLS; nil for plain TCP.
    ///   - onOpen: the steps after the handshake.
    ///   - onMessage: the steps after a whole message.
    /// - Throws: ``ScriptedOriginError`` if a socket, a thread or the TLS context cannot be created.
    public convenience init(
        tls identity: Identity? = nil, onOpen: [WebSocketStep] = [], onMessage: @escaping WebSocketScript.MessageHandler
    ) throws(ScriptedOriginError) {
        try self.init(tls: identity, script: WebSocketScript(onOpen: onOpen, onMessage: onMessage))
    }

    /// The URL of a path on this server, with the scheme ws or wss; see ``ScriptedOrigin/url(_:host:)``.
    public func url(_ path: String = "/", host: String? = nil) -> String {
        "ws" + origin.url(path, host: host).dropFirst("http".count)
    }

    /// The WebSockets opened so far, in that order.
    public var webSockets: [ReceivedWebSocket] { origin.observations.webSockets }

    /// Waits until the condition holds; see ``ScriptedOrigin/waitFor(_:_:)``.
    public func waitFor(
        _ timeout: Duration = .seconds(10), _ condition: @escaping @Sendable (OriginObservations) -> Bool
    ) async -> Bool {
        await origin.waitFor(timeout, condition)
    }

    /// Closes every socket and ends every thread, then returns; see ``ScriptedOrigin/stop()``.
    public func stop() { origin.stop() }
}
