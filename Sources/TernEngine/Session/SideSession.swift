// SPDX-License-Identifier: Apache-2.0
import TernLock
import TernTLS

/// A `RequestSender` with a session of its own, which it creates for the first request. Any thread may use it.
///
/// A session starts threads and takes locks, so it is created without holding a lock: the first caller creates it, and
/// the requests of others wait meanwhile.
final class SideSession: RequestSender {
    private enum State {
        /// To `making`.
        case unused
        /// To `ready`.
        case making(waiting: [SideRequest])
        case ready(Session)
    }

    private let configuration: SessionConfiguration
    private let make: @Sendable (SessionConfiguration) -> Session
    private let state = Lock(State.unused)

    init(
        _ configuration: SessionConfiguration,
        make: @escaping @Sendable (SessionConfiguration) -> Session = { Session(configuration: $0) }
    ) {
        self.configuration = configuration
        self.make = make
    }

    func send(
        _ request: URLRequest, sizeLimit: Int, timeLimit: Duration,
        completion: @escaping @Sendable (SideResponse?) -> Void
    ) {
        var request = request
        // A certificate or a policy has named this server, which must not redirect to others.
        request.redirectPolicy = .never
        request.timeouts = Timeouts(connect: timeLimit, idle: timeLimit, total: timeLimit)
        let sideRequest = SideRequest(request, sizeLimit: sizeLimit, completion: completion)
        let (session, makes) = state.withLock { state -> (Session?, Bool) in
            switch state {
            case .unused:
                state = .making(waiting: [sideRequest])
                return (nil, true)
            case .making(let waiting):
                state = .making(waiting: waiting + [sideRequest])
                return (nil, false)
            case .ready(let session): return (session, false)
            }
        }
        if let session { Self.start(sideRequest, on: session) }
        if makes { makeSession() }
    }

    private func makeSession() {
        let session = make(configuration)
        let waiting = state.withLock { state -> [SideRequest] in
            let waiting = if case .making(let waiting) = state { waiting } else { [SideRequest]() }
            state = .ready(session)
            return waiting
        }
        for request in waiting { Self.start(request, on: session) }
    }

    private static func start(_ request: SideRequest, on session: Session) {
        session.dataTask(with: request.request, delegate: request).resume()
    }
}

extension SideSession {
    /// For responders, lists and issuers, which are fetched without TLS.
    ///
    /// - Parameter proxyTrust: the trust in proxies of the session; nil for settings of its own.
    static func forRevocation(_ session: SessionConfiguration, proxyTrust: ProxyTrust? = nil) -> SideSession {
        var configuration = session.forSideRequests
        configuration.httpMaximumConnectionsPerHost = 4
        configuration.maximumIdleTime = .seconds(5)
        return SideSession(configuration, proxyTrust: proxyTrust)
    }

    /// For reports about pins: the same anchors and no pins, because a wrong pin must not prevent its own report.
    ///
    /// - Parameter proxyTrust: the trust in proxies of the session; nil for settings of its own.
    static func forReports(_ session: SessionConfiguration, proxyTrust: ProxyTrust? = nil) -> SideSession {
        SideSession(session.forSideRequests, proxyTrust: proxyTrust)
    }

    private convenience init(_ configuration: SessionConfiguration, proxyTrust: ProxyTrust?) {
        self.init(configuration) {
            Session(
                configuration: $0, delegate: nil, serverTrustPolicyManager: nil, firstPolicies: [],
                proxyTrust: proxyTrust, makesOwnTasks: true)
        }
    }
}

extension SessionConfiguration {
    /// The settings for what the session itself asks for, of servers that a certificate or a policy names: those of
    /// ``forHandshakes`` but for what is meant for the user's servers alone, such as another endpoint, a header in front of
    /// the connection, or a file that their keys are written to.
    var forSideRequests: SessionConfiguration {
        var side = forHandshakes
        side.tls.keyLog = nil
        (side.unixSocket, side.dialer, side.endpointOverrides) = (nil, nil, [])
        side.proxyProtocol = nil
        return side
    }

    /// The settings for connecting to the user's servers in a session beside the user's: its own, so that connections leave
    /// from the same addresses, lead nowhere else, and go through the same proxies. Each setting goes along unless it is
    /// taken back here, because it
    /// - is a secret of the user's, or may contain one;
    /// - keeps what servers send among what the user's requests have brought, or answers in place of the server;
    /// - makes these connections wait for the user's, or the other way round, or bounds how many there are.
    var forHandshakes: SessionConfiguration {
        let usual = SessionConfiguration()
        var side = self
        side.httpAdditionalHeaders = usual.httpAdditionalHeaders
        (side.authentication, side.netrc, side.urlCredentialStorage) = (nil, nil, nil)
        side.probesForDigest = usual.probesForDigest
        side.tls.identity = nil
        // They have been read.
        side.trustFiles = nil

        (side.httpCookieStorage, side.hstsStorage, side.urlCache, side.cassette) = (nil, nil, nil, nil)
        side.requestCachePolicy = usual.requestCachePolicy

        (side.rateLimit, side.rateLimitPerHost, side.memoryQuota, side.circuitBreaker) = (nil, nil, nil, nil)
        side.waitsForConnectivity = usual.waitsForConnectivity
        side.httpMaximumConnectionsPerHost = usual.httpMaximumConnectionsPerHost
        side.httpMinimumConnectionsPerHost = usual.httpMinimumConnectionsPerHost
        side.maximumConnections = usual.maximumConnections
        side.maximumQueuedRequestsPerHost = usual.maximumQueuedRequestsPerHost
        // The process's, so that no threads are added.
        side.reactorCount = usual.reactorCount
        side.responseProviders = []
        return side
    }
}

/// One request of a `RequestSender`: collects the response, up to a limit.
final class SideRequest: SessionTaskDelegate {
    private struct State {
        var statusCode: Int?
        var body: BodyAccumulator
    }

    let request: URLRequest
    private let completion: @Sendable (SideResponse?) -> Void
    private let state: Lock<State>

    /// `completion` is called once, on any thread.
    init(_ request: URLRequest, sizeLimit: Int, completion: @escaping @Sendable (SideResponse?) -> Void) {
        self.request = request
        self.completion = completion
        state = Lock(State(body: BodyAccumulator(limit: sizeLimit)))
    }

    func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
        let length = response.bodyLength(answering: request) ?? 0
        let isWelcome = state.withLock { state in
            guard (200..<300).contains(response.statusCode), state.body.admits(length) else { return false }
            state.statusCode = response.statusCode
            state.body.reserve(length)
            return true
        }
        if !isWelcome { task.cancel() }
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        if state.withLock({ $0.body.take(bytes) }) == .overflowed { task.cancel() }
    }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        let (statusCode, body) = state.withLock { ($0.statusCode, $0.body) }
        guard error == nil, body.failure == nil, let statusCode else { return completion(nil) }
        completion(SideResponse(statusCode: statusCode, body: body.bytes))
    }
}

extension TrustServices {
    /// With sessions of their own.
    ///
    /// - Parameter proxyTrust: the trust in the proxies that these sessions use; nil if they use none.
    init(_ configuration: SessionConfiguration, proxyTrust: ProxyTrust?) {
        self.init(
            revocationSender: SideSession.forRevocation(configuration, proxyTrust: proxyTrust),
            reportSender: SideSession.forReports(configuration, proxyTrust: proxyTrust))
    }
}

extension ProxyTrust {
    /// The trust in the proxies of a session with these policies.
    ///
    /// - Parameter origins: what that session trusts in origins; nil if nobody asks.
    init(
        of configuration: SessionConfiguration, policies: ServerTrustPolicyManager?,
        beside origins: TrustSettings? = nil
    ) {
        let settings = TrustSettings(
            tls: configuration.forProxies.tls, policies: configuration.proxyTrustPolicyManager ?? policies)
        self.init(
            cell: TrustCell(origins: origins ?? settings, proxies: settings),
            services: TrustServices(configuration.forProxies, proxyTrust: nil))
    }
}

extension SessionTrust {
    /// - Parameters:
    ///   - identities: the certificates of the client for single hosts.
    ///   - shared: the trust in proxies of the session that this one sends requests for; nil for its own.
    convenience init(
        _ configuration: SessionConfiguration, identities: [ClientIdentity], policies: ServerTrustPolicyManager?,
        sharing shared: ProxyTrust?
    ) {
        let origins = TrustSettings(tls: configuration.tls, identities: identities, policies: policies)
        let proxies =
            shared.map { ProxyTrust(cell: TrustCell(origins: origins, proxiesOf: $0.cell), services: $0.services) }
            ?? ProxyTrust(of: configuration, policies: policies, beside: origins)
        self.init(
            proxies.cell, ofOrigins: TrustServices(configuration, proxyTrust: proxies), ofProxies: proxies.services,
            sharesProxies: shared != nil)
    }
}

extension SessionTrust.Change {
    /// Other settings, of a session with this configuration; nil for what there is.
    init(_ settings: TrustSettings.Replacement?, of configuration: SessionConfiguration, proxyTrust: ProxyTrust?) {
        self.init(
            settings: settings,
            reportSender: settings.map { _ in SideSession.forReports(configuration, proxyTrust: proxyTrust) })
    }
}
