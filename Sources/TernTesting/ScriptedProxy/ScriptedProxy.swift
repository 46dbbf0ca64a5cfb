// SPDX-License-Identifier: Apache-2.0

/// A proxy on 127.0.0.1 that forwards requests and tunnels to servers on the same machine, fails as a script says, and reports
/// what it was asked for.
///
/// It speaks HTTP (whole URLs and `CONNECT`), SOCKS 4, SOCKS 4a and SOCKS 5: the first byte of a connection says which.
///
/// ```swift
/// let origin = try ScriptedOrigin { _, _ in [.ok("hello")] }
/// let proxy = try ScriptedProxy { _ in origin.port }
/// // … let a client fetch http://a.test/ through proxy.url("socks5h") …
/// let targets = proxy.requests.map(\.target)  // ["a.test:80"]
/// ```
///
/// Each connection has a thread of its own. Any thread may use the proxy; releasing it stops it. It shares no code with the
/// client that it tests, and connects to no other machine.
public final class ScriptedProxy: Sendable {
    /// The port on 127.0.0.1 of the server for a target such as `a.test:443`; nil if the proxy cannot reach it.
    public typealias Route = @Sendable (_ target: String) -> UInt16?
    /// The fault of the numbered connection, counted from 1; nil for none.
    public typealias Faults = @Sendable (_ connection: Int) -> ProxyFault?

    /// The port the proxy listens on.
    public let port: UInt16
    private let core: OriginCore
    private let log: ProxyLog

    /// Starts the proxy: when the initialiser returns, it accepts connections.
    ///
    /// - Parameters:
    ///   - identity: the certificate of a proxy that is connected to over TLS; nil for plain TCP.
    ///   - credential: the name and the password that the proxy requires, in HTTP as Basic; nil for none. SOCKS 4 has the name
    ///     alone.
    ///   - route: the server for each target; by default the one on 127.0.0.1 with the port of the target. Must not capture the
    ///     proxy, which would then never be released.
    ///   - faults: what goes wrong on a connection; nothing by default. Must not capture the proxy, either.
    /// - Throws: ``ScriptedOriginError`` if a socket, a thread or the TLS context cannot be created.
    public init(
        tls identity: Identity? = nil, credential: (user: String, password: String)? = nil,
        route: @escaping Route = { target in target.split(separator: ":").last.flatMap { UInt16($0) } },
        faults: @escaping Faults = { _ in nil }
    ) throws(ScriptedOriginError) {
        let context: TLSServerContext? =
            if let identity { try TLSServerContext(identity, OriginTLSOptions()) } else { nil }
        let log = ProxyLog()
        let listener = try OriginListener(OriginConfiguration())
        let login = credential.map { "\($0.user):\($0.password)" }
        core = try OriginCore(context: context, log: log.ofConnections) { number, stream, currentHold in
            var connection = ProxyConnection(
                number: number, stream: stream, login: login, fault: faults(number), route: route, log: log,
                hold: currentHold())
            connection.run()
        }
        self.log = log
        port = try listener.port()
        try core.start(listener)
    }

    deinit { core.stop() }

    /// The URL of the proxy, with its address or another name for this machine, such as `socks5h://127.0.0.1:40123`.
    public func url(_ scheme: String = "http", host: String = "127.0.0.1") -> String { "\(scheme)://\(host):\(port)" }

    /// The observations so far.
    public var observations: ProxyObservations { log.observations }

    /// The requests so far.
    public var requests: [ProxiedRequest] { observations.requests }

    /// Waits until the condition holds.
    ///
    /// - Parameters:
    ///   - timeout: the maximum time to wait.
    ///   - condition: called with a lock held, after every observation: it must only read.
    /// - Returns: false if the time has passed, or the task was cancelled, before the condition held.
    public func waitFor(
        _ timeout: Duration = .seconds(10), _ condition: @escaping @Sendable (ProxyObservations) -> Bool
    ) async -> Bool {
        await log.wait(timeout, for: condition)
    }

    /// Lets connections continue that are held by ``ProxyFault/holds(after:)``, of those that were accepted before.
    ///
    /// - Throws: ``ScriptedOriginError`` if the system has no descriptors left for later holds.
    public func release() throws(ScriptedOriginError) { try core.release() }

    /// Closes every socket and ends every thread, then returns. Idempotent.
    public func stop() { core.stop() }
}

/// What goes wrong on a connection to a ``ScriptedProxy``. Bytes of its answers are counted from the first one on the
/// connection, before TLS, over all steps of a dialogue.
public enum ProxyFault: Sendable {
    /// Stops in its answers after this number of bytes until ``ScriptedProxy/release()``. A request with a whole URL is
    /// forwarded then.
    case holds(after: Int)
    /// Closes after this number of bytes of its answers, or of a forwarded response.
    case closes(after: Int)
    /// Sends these bytes in place of its first answer, and nothing more.
    case garbage([UInt8])
    /// Requires a credential, and accepts none: 407 in HTTP, a refusal of the password in SOCKS 5.
    case refusesCredentials
    /// Answers each HTTP request with this status, which is not 2xx, and with this content.
    case status(Int, body: String)
    /// Answers each SOCKS request with this code (RFC 1928 §6, or that of SOCKS 4).
    case code(UInt8)
    /// Sends these bytes right behind the answer that opens a tunnel.
    case trailing([UInt8])
    /// Closes after this number of bytes of the server for the client.
    case cuts(after: Int)
}
