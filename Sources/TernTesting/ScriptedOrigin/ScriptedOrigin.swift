// SPDX-License-Identifier: Apache-2.0

/// An HTTP/1.1 origin on a loopback address, or at a Unix domain socket, that does what a script tells it to, right or
/// wrong, and reports what it saw.
///
/// ```swift
/// let origin = try ScriptedOrigin { connection, request in
///     request.index == 0 ? [.ok("hello")] : [.send("HTTP/1.1 200 OK\r\nContent-Le"), .reset]
/// }
/// // … let a client fetch origin.url("/greeting") …
/// let sawReset = await origin.waitFor { $0.openConnections == 0 }
/// ```
///
/// Each connection has a thread of its own, which runs the script. Any thread may use the origin; letting go of it
/// stops it. It shares no code with the client that it is to test.
public final class ScriptedOrigin: Sendable {
    /// What an origin has seen so far.
    public typealias Observations = OriginObservations
    /// One thing the origin does with a connection.
    public typealias Step = OriginStep
    /// How the origin speaks TLS.
    public typealias TLSOptions = OriginTLSOptions
    /// Where an origin listens.
    public typealias Configuration = OriginConfiguration
    /// A connection that the client ended.
    public typealias Close = OriginClose
    /// A completed TLS handshake.
    public typealias Handshake = OriginHandshake
    /// A TLS handshake that did not complete.
    public typealias FailedHandshake = OriginFailedHandshake
    /// What to do about a request that came whole on the numbered connection, counted from 1.
    public typealias Script = @Sendable (_ connection: Int, _ request: ReceivedRequest) -> [Step]
    /// What to do on a new connection, counted from 1, before anything is read.
    public typealias AcceptScript = @Sendable (_ connection: Int) -> [Step]

    /// The port the origin listens on; 0 at a Unix domain socket.
    public let port: UInt16
    private let core: OriginCore
    private let authority: String
    private let scheme: String
    private let tlsOptions: TLSOptions

    /// Starts the origin: when the initialiser returns, it accepts connections.
    ///
    /// - Parameters:
    ///   - configuration: Where to listen, and sizes.
    ///   - identity: Makes the origin speak TLS.
    ///   - tlsOptions: How it speaks TLS.
    ///   - onAccept: Steps before the TLS handshake and the first request; none by default.
    ///   - onHead: Steps between the head of a request and its body. By default, and when `nil`, the origin asks a
    ///     client that waits for `100 Continue` to go on.
    ///   - script: Steps after a whole request. Must not capture the origin, which would then never be released.
    /// - Throws: ``ScriptedOriginError`` if a socket, a thread or the TLS context cannot be made.
    public init(
        _ configuration: Configuration = Configuration(), tls identity: Identity? = nil,
        tlsOptions: TLSOptions = TLSOptions(), onAccept: AcceptScript? = nil, onHead: Script? = nil,
        script: @escaping Script
    ) throws(ScriptedOriginError) {
        let context: TLSServerContext? =
            if let identity { try TLSServerContext(identity, tlsOptions) } else { nil }
        let script = OriginScript(onAccept: onAccept, onHead: onHead, onRequest: script)
        let log = ObservationLog(rememberedRequests: configuration.rememberedRequests)
        let listener = try OriginListener(configuration)
        core = try OriginCore(script, context: context, log: log)
        port = try listener.port()
        scheme = identity == nil ? "http" : "https"
        authority =
            switch configuration.address {
            case .ipv4: identity == nil ? "127.0.0.1" : "localhost"
            case .ipv6: "[::1]"
            case .unix, .abstract: "localhost"
            }
        self.tlsOptions = tlsOptions
        try core.start(listener)
    }

    deinit { core.stop() }

    /// The URL of a path on this origin. The host is `localhost` with TLS over IPv4 and at a Unix domain socket, and
    /// the address itself otherwise, unless given.
    public func url(_ path: String = "/", host: String? = nil) -> String {
        let port = port == 0 ? "" : ":\(port)"
        return "\(scheme)://\(host ?? authority)\(port)\(path)"
    }

    /// What the origin has seen so far.
    public var observations: Observations { core.log.observations }

    /// Connections accepted so far.
    public var connectionCount: Int { observations.connectionCount }

    /// The latest requests, whole or cut short; see ``OriginConfiguration/rememberedRequests``.
    public var requests: [ReceivedRequest] { observations.requests }

    /// Waits until the condition holds.
    ///
    /// - Parameters:
    ///   - timeout: How long at most.
    ///   - condition: Called with a lock held, whenever something was seen: a pure look, nothing more.
    /// - Returns: False when the time has passed, or the task was cancelled, before the condition held.
    public func waitFor(
        _ timeout: Duration = .seconds(10), _ condition: @escaping @Sendable (Observations) -> Bool
    ) async -> Bool {
        await core.log.wait(timeout, for: condition)
    }

    /// Lets connections that `hold` go on with their next step.
    ///
    /// - Throws: ``ScriptedOriginError`` if the system has no descriptors left for later holds.
    public func release() throws(ScriptedOriginError) { try core.release() }

    /// Lets later connections see another identity. Without fixed ``OriginTLSOptions/ticketKeys`` it resumes no earlier
    /// session.
    ///
    /// - Throws: ``ScriptedOriginError`` if OpenSSL refuses the identity.
    public func present(_ identity: Identity) throws(ScriptedOriginError) {
        core.use(try TLSServerContext(identity, tlsOptions))
    }

    /// Closes every socket and ends every thread, then returns. Idempotent; a script may call it too, whose own thread
    /// then ends with its steps. Three descriptors that threads could be woken with go with the object.
    public func stop() { core.stop() }
}
