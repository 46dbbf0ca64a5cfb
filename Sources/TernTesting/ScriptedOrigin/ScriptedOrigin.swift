// SPDX-License-Identifier: Apache-2.0

/// An HTTP/1.1 origin on a loopback address, or at a Unix domain socket, that runs a script, valid or not, and reports
/// what it received.
///
/// ```swift
/// let origin = try ScriptedOrigin { connection, request in
///     request.index == 0 ? [.ok("hello")] : [.send("HTTP/1.1 200 OK\r\nContent-Le"), .reset]
/// }
/// // … let a client fetch origin.url("/greeting") …
/// let sawReset = await origin.waitFor { $0.openConnections == 0 }
/// ```
///
/// Each connection has a thread of its own, which runs the script. Any thread may use the origin; releasing it stops
/// it. It shares no code with the client that it tests.
public final class ScriptedOrigin: Sendable {
    /// The observations of an origin so far.
    public typealias Observations = OriginObservations
    /// An action of the origin on a connection.
    public typealias Step = OriginStep
    /// The TLS settings of the origin.
    public typealias TLSOptions = OriginTLSOptions
    /// The address that an origin listens on.
    public typealias Configuration = OriginConfiguration
    /// A connection that the client ended.
    public typealias Close = OriginClose
    /// A completed TLS handshake.
    public typealias Handshake = OriginHandshake
    /// A TLS handshake that did not complete.
    public typealias FailedHandshake = OriginFailedHandshake
    /// The steps after a complete request on the numbered connection, counted from 1.
    public typealias Script = @Sendable (_ connection: Int, _ request: ReceivedRequest) -> [Step]
    /// The steps on a new connection, counted from 1, before any byte is read.
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
    ///   - configuration: the address, sizes, and faults.
    ///   - identity: the certificate for TLS; nil for plain TCP.
    ///   - tlsOptions: the TLS settings.
    ///   - onAccept: steps before the TLS handshake and the first request; none by default.
    ///   - onHead: steps between the head of a request and its body. By default, and when `nil`, the origin sends 100
    ///     (Continue) to a client that waits for it.
    ///   - script: steps after a whole request. Must not capture the origin, which would then never be released.
    /// - Throws: ``ScriptedOriginError`` if a socket, a thread or the TLS context cannot be created.
    public init(
        _ configuration: Configuration = Configuration(), tls identity: Identity? = nil,
        tlsOptions: TLSOptions = TLSOptions(), onAccept: AcceptScript? = nil, onHead: Script? = nil,
        script: @escaping Script
    ) throws(ScriptedOriginError) {
        let context: TLSServerContext? =
            if let identity { try TLSServerContext(identity, tlsOptions) } else { nil }
        let script = OriginFaults(configuration.faults).before(
            OriginScript(onAccept: onAccept, onHead: onHead, onRequest: script))
        let log = ObservationLog(rememberedRequests: configuration.rememberedRequests)
        let listener = try OriginListener(configuration)
        core = try OriginCore(context: context, log: log) { number, stream, currentHold in
            var connection = OriginConnection(
                number: number, script: script, stream: stream, log: log, currentHold: currentHold)
            connection.run()
        }
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

    /// The URL of a path on this origin. The default host is `localhost` with TLS over IPv4 and at a Unix domain
    /// socket, and the address itself otherwise.
    public func url(_ path: String = "/", host: String? = nil) -> String {
        let port = port == 0 ? "" : ":\(port)"
        return "\(scheme)://\(host ?? authority)\(port)\(path)"
    }

    /// The observations so far.
    public var observations: Observations { core.log.observations }

    /// The number of connections accepted so far.
    public var connectionCount: Int { observations.connectionCount }

    /// The latest requests, complete or interrupted; see ``OriginConfiguration/rememberedRequests``.
    public var requests: [ReceivedRequest] { observations.requests }

    /// Waits until the condition holds.
    ///
    /// - Parameters:
    ///   - timeout: the maximum time to wait.
    ///   - condition: called with a lock held, after every observation: it must only read.
    /// - Returns: false if the time has passed, or the task was cancelled, before the condition held.
    public func waitFor(
        _ timeout: Duration = .seconds(10), _ condition: @escaping @Sendable (Observations) -> Bool
    ) async -> Bool {
        await core.log.wait(timeout, for: condition)
    }

    /// Lets connections in `hold` continue with their next step.
    ///
    /// - Throws: ``ScriptedOriginError`` if the system has no descriptors left for later holds.
    public func release() throws(ScriptedOriginError) { try core.release() }

    /// Uses another identity for later connections. Without fixed ``OriginTLSOptions/ticketKeys`` it resumes no earlier
    /// session.
    ///
    /// - Throws: ``ScriptedOriginError`` if OpenSSL refuses the identity.
    public func present(_ identity: Identity) throws(ScriptedOriginError) {
        core.use(try TLSServerContext(identity, tlsOptions))
    }

    /// Closes every socket and ends every thread, then returns. Idempotent; a script may call it too, and its own
    /// thread then ends with its steps. Three descriptors for waking threads are closed with the object.
    public func stop() { core.stop() }
}
