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
    /// For responders and lists, which are fetched without TLS.
    static func forRevocation(_ session: SessionConfiguration) -> SideSession {
        var configuration = SessionConfiguration(beside: session)
        configuration.httpMaximumConnectionsPerHost = 4
        configuration.maximumIdleTime = .seconds(5)
        return SideSession(configuration)
    }

    /// For reports about pins: the same anchors and no pins, because a wrong pin must not prevent its own report.
    static func forReports(_ session: SessionConfiguration) -> SideSession {
        var configuration = SessionConfiguration(beside: session)
        configuration.tls = session.tls
        // The identity is not meant for the server that collects reports, and the keys of this session were not
        // requested.
        configuration.tls.identity = nil
        configuration.tls.keyLog = nil
        return SideSession(configuration)
    }
}

extension SessionConfiguration {
    /// Default settings, but for where connections come from and may lead, through which proxies, and how names are
    /// resolved.
    fileprivate init(beside session: SessionConfiguration) {
        self.init()
        (egressPolicy, resolver, socketOptions) = (session.egressPolicy, session.resolver, session.socketOptions)
        (addressFamily, addressOverrides) = (session.addressFamily, session.addressOverrides)
        (proxySettings, proxyTLS) = (session.proxySettings, session.proxyTLS)
        proxyTrustPolicyManager = session.proxyTrustPolicyManager
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

extension TrustSettings {
    /// With sessions of their own for questions about revocation and for reports about pins.
    convenience init(_ configuration: SessionConfiguration, policies: ServerTrustPolicyManager?) {
        self.init(
            tls: configuration.tls, policies: policies, revocationSender: SideSession.forRevocation(configuration),
            reportSender: SideSession.forReports(configuration))
    }
}
