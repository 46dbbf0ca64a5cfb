// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import TernTLS

/// Opens one connection, or secures an existing one, by the steps of `Dial`. Bounded as a whole by the connect timeout
/// of the task that relies on it.
///
/// Reports to its owner exactly once, unless it is cancelled. Used on its loop's thread; `@unchecked Sendable` because
/// the resolver's answer comes back through the loop's mailbox.
final class Dialler: ReadinessHandler, @unchecked Sendable {
    private let shared: SharedSettings
    private let owner: any DialOwner
    /// Its owner's identifier for it.
    let number: Int
    /// Whether the server may send first.
    private let letsServerBegin: Bool
    /// The bytes that such a server has sent under TLS, and whether the stream ends after them.
    private(set) var early: (bytes: [UInt8], hasEnded: Bool) = ([], false)
    /// Nil for one that secures a connection.
    private let route: Route?
    /// The settings of the route of the connection.
    private let settings: RouteSettings?
    /// Nil without a policy, and for one that secures a connection.
    private let egress: EgressGuard?
    /// Of the request and of the session; nil without any.
    private let names: NameRules?
    /// Whether the peer is the host of the route's origin.
    private let isDirect: Bool
    private var dial: Dial
    private var timer: DialTimer?
    private var lookup: LookUpTicket?
    private var question: ResolverQuestion?
    private var call: DialerQuestion?
    /// Whether idle connections were closed for this one.
    private var hasFreedDescriptors = false
    private var connector: Connector?
    private var tunnel: TunnelOpener?
    private var handshake: TLSHandshake?
    /// Asks delegates about the server; nil if none wants to be asked.
    private(set) var inquiry: TrustInquiry?
    private var isReported = false
    /// What the session trusted when the connection was begun; nil until that is needed.
    private var trust: TrustValue?
    /// One for each server that is connected to over TLS, in the order of the steps.
    private var trustContexts: [ServerTrustContext] = []
    /// That of the current server.
    private var trustContext: ServerTrustContext?
    /// The connection so far, except during a handshake.
    private var transport: Transport?
    private var token: RegistrationToken?

    init(
        _ route: Route, address: TransportAddress?, _ shared: SharedSettings, owner: any DialOwner, number: Int,
        letsServerBegin: Bool = false
    ) {
        self.shared = shared
        self.letsServerBegin = letsServerBegin
        self.owner = owner
        self.number = number
        (self.route, settings) = (route, route.settings)
        names = NameRules.joined(route.names, shared.names)
        let endpoint = route.endpoint(names)
        egress = EgressGuard(route, to: endpoint, shared)
        isDirect = if case .host(route.server) = endpoint { true } else { false }
        // Where there are rules, an address in the URL is a host like any other.
        let isKnown = if case .host = endpoint { names == nil } else { true }
        dial = Dial(route, to: endpoint, address: isKnown ? address : nil, now: shared.loop.exactNow)
    }

    /// Secures `connection`, whose server may send first.
    ///
    /// - Parameter settings: those of the route along which it was opened.
    init(
        securing connection: Handover, with server: HTTPOrigin, along settings: RouteSettings?,
        _ shared: SharedSettings, owner: any DialOwner, number: Int
    ) {
        self.settings = settings
        self.shared = shared
        self.owner = owner
        self.number = number
        letsServerBegin = true
        (route, egress, names, isDirect) = (nil, nil, nil, false)
        dial = Dial(securing: connection.metrics, with: server)
        (transport, token) = (connection.transport, connection.token)
    }

    func start(deadline: MonotonicInstant) {
        timer = DialTimer(self, on: shared.loop)
        setDeadline(deadline)
        follow(dial.begin())
    }

    /// For the task that relies on the connection from now on.
    func setDeadline(_ deadline: MonotonicInstant) {
        timer?.set(deadline)
    }

    /// What there is to say of the connection if it is given up now.
    var failedConnection: FailedConnectionMetrics { dial.failedConnection }

    func cancel() {
        dial.end()
        discard()
    }

    /// The deadline is this registration's only event.
    func ready(_ readiness: Readiness) {
        handshake?.peerLost()
        // What a proxy has answered so far says more.
        follow(tunnel?.failure.map { dial.failed($0) } ?? dial.timedOut())
    }

    private func follow(_ next: Dial.Next) {
        switch next {
        case .take(.prepare(let peer)): prepare(for: peer)
        case .take(.resolve(let host)): resolve(host)
        case .take(.locate(let tunnel)): locate(tunnel)
        case .take(.connect): connect()
        case .take(.dial(let host)): dial(host)
        case .take(.tunnel(let tunnel)): open(tunnel)
        case .take(.announce(let version)): announce(version)
        case .take(.secure(let peer)): secure(peer)
        case .open: open()
        case .stopConnecting: connector?.timedOut()
        case .fail(let failure):
            discard()
            // Later rather than now: some failures occur within `start`, and a caller that starts again repeatedly must
            // not grow the stack.
            shared.loop.execute { self.owner.dialler(self, failed: failure) }
        case .rest: break
        }
    }

    /// Tells the task that the connection is for.
    private func tell(_ step: ConnectionStep) { respondent?.took(step) }

    private func discard() {
        if let lookup = lookup.take() { shared.resolver.cancel(lookup) }
        question.take()?.cancel()
        call.take()?.cancel()
        connector?.cancel()
        tunnel.take()?.cancel()
        handshake?.cancel()
        closeTransport()
        timer.take()?.cancel()
    }

    private func closeTransport() {
        if let token = token.take() { shared.loop.deregister(token) }
        transport.take()?.close()
    }
}

// The steps
extension Dialler {
    private func prepare(for peer: Dial.Peer) {
        let value = trust ?? shared.trust.value
        trust = value
        let settings = value.settings(ofProxies: peer.isProxy)
        if let context = settings.readyContext { return prepare(.success(context), settings, for: peer) }
        settings.context { context in self.shared.perform { self.prepare(context, settings, for: peer) } }
    }

    private func prepare(_ context: Result<TLSContext, TLSError>, _ settings: TrustSettings, for peer: Dial.Peer) {
        if dial.isOver { return }
        do throws(TLSError) {
            let trustContext = try ServerTrustContext(
                of: peer, context.get(), settings, shared.trust.services(ofProxies: peer.isProxy),
                identity: peer.isProxy ? nil : route?.identity(for: peer.server),
                sideRoute: self.settings?.forSideRequests(isAboutProxy: peer.isProxy))
            trustContexts.removeAll { $0.peer == peer }
            trustContexts.append(trustContext)
        } catch {
            return follow(dial.failed(.connecting(.insecure(error))))
        }
        follow(dial.prepared())
    }

    /// - Parameter tunnel: the one whose end the host is; nil for what is connected to.
    private func resolve(_ host: HTTPOrigin, endOf tunnel: Route.Tunnel? = nil) {
        // What is refused anyway asks no name server.
        do throws(EgressViolation) {
            try egress?.checkUnresolved()
        } catch {
            return follow(dial.refused(error))
        }
        let family = family(endOf: tunnel)
        tell(.resolving(host: host.host))
        if let known = names?.addresses(of: host, family) { return resolved(known, of: host, endOf: tunnel) }
        guard let resolver = shared.configuration.resolver else {
            lookup = shared.resolver.resolve(host: host.host, port: host.port, family: family) { addresses in
                self.shared.perform { self.resolved(addresses, of: host, endOf: tunnel) }
            }
            return
        }
        if let known = Resolver.knownAddresses(of: host.host, family: family) {
            return resolved(known.map { $0.map { .ip($0, port: host.port) } }, of: host, endOf: tunnel)
        }
        question = ResolverQuestion(to: resolver, about: host.host, family: family) { addresses in
            self.shared.perform {
                self.resolved(addresses.map { $0.map { .ip($0, port: host.port) } }, of: host, endOf: tunnel)
            }
        }
    }

    private func family(endOf tunnel: Route.Tunnel?) -> AddressFamily {
        let (wanted, expressible) = (names?.family ?? .any, tunnel?.proxy.kind.resolvedFamily ?? .any)
        return wanted == .any ? expressible : wanted
    }

    private func resolved(
        _ addresses: Result<[TransportAddress], ResolveError>, of host: HTTPOrigin, endOf tunnel: Route.Tunnel?
    ) {
        (lookup, question) = (nil, nil)
        switch addresses {
        case .success(let addresses):
            tell(.resolved(host: host.host, addresses))
            if let tunnel {
                located(addresses, tunnel)
            } else {
                follow(dial.resolved(addresses, at: shared.loop.exactNow))
            }
        case .failure(let error): follow(dial.failed(.connecting(.unresolved(error))))
        }
    }

    /// Finds the address that a proxy is to connect to. It never gets the name instead, which could lead it to an
    /// address that is refused here.
    private func locate(_ tunnel: Route.Tunnel) {
        if tunnel.proxy.kind.resolvedFamily == .ipv4, names?.family == .ipv6 || tunnel.target.host.contains(":") {
            return follow(dial.failed(.connecting(.proxy(SOCKSHandshake.noAddressOfVersion4))))
        }
        resolve(tunnel.target, endOf: tunnel)
    }

    private func located(_ addresses: [TransportAddress], _ tunnel: Route.Tunnel) {
        do throws(EgressViolation) {
            let permitted = try egress?.permitted(addresses, of: tunnel.target) ?? addresses
            let found = permitted.compactMap { if case .ip(let address, _) = $0 { address } else { nil } }
            if found.isEmpty {
                let error = ResolveError(host: tunnel.target.host, reason: .unknownHost)
                return follow(dial.failed(.connecting(.unresolved(error))))
            }
            follow(dial.located(found, at: shared.loop.exactNow))
        } catch {
            follow(dial.refused(error))
        }
    }

    private func connect() {
        // The connector gets the addresses that were judged, and nothing resolves the name again.
        var addresses = dial.addresses
        if let egress {
            do throws(EgressViolation) {
                try egress.checkUnresolved()
                addresses = try egress.permitted(addresses)
            } catch {
                return follow(dial.refused(error))
            }
        }
        // The operation ends before this object, or by its `cancel`: so this cycle is temporary.
        let connector = Connector(addresses: addresses, options: dial.socketOptions, loop: shared.loop) {
            self.connected($0)
        }
        self.connector = connector
        tell(.connecting(to: addresses))
        connector.start()
    }

    private func dial(_ host: HTTPOrigin) {
        guard case .dialer(let dialer, _) = route?.endpoint else { return }
        do throws(EgressViolation) {
            try egress?.checkUnresolved()
        } catch {
            return follow(dial.refused(error))
        }
        call = DialerQuestion(to: dialer, about: host) { result in self.shared.perform { self.dialled(result) } }
    }

    private func dialled(_ result: Result<DialledDescriptor, ConnectionDialerError>) {
        call = nil
        // A descriptor that comes too late is closed with its object.
        if dial.isOver { return }
        switch result {
        case .success(let dialled): if let descriptor = dialled.take() { adopt(descriptor) }
        case .failure(let error): follow(dial.failed(.connecting(.dialer(error))))
        }
    }

    private func adopt(_ descriptor: consuming Descriptor) {
        let connection: Connector.Connected
        do throws(InvalidDescriptor) {
            connection = try Connector.adopting(descriptor, options: dial.socketOptions, loop: shared.loop)
        } catch {
            return follow(dial.failed(.connecting(.dialer(ConnectionDialerError(.invalid(error))))))
        }
        do throws(EgressViolation) {
            _ = try egress?.permitted([connection.address])
        } catch {
            shared.loop.deregister(connection.token)
            return follow(dial.refused(error))
        }
        connected(.success(connection))
    }

    private func connected(_ result: consuming Result<Connector.Connected, ConnectError>) {
        connector = nil
        switch consume result {
        case .success(let connection):
            let (address, local) = (connection.address, connection.localAddress)
            token = connection.token
            transport = Transport(socket: connection.socket, tls: nil)
            tell(.connected(to: address))
            follow(dial.connected(to: address, from: local, at: shared.loop.exactNow))
        case .failure(let error) where error.isDescriptorShortage && !hasFreedDescriptors:
            hasFreedDescriptors = true
            DescriptorShortage.closeIdle {
                self.shared.perform { if !self.dial.isOver { self.connect() } }
            }
        case .failure(let error):
            let option = error.optionError.map { SessionError.ConnectingFailure.socketOption($0) }
            follow(dial.failed(.connecting(option ?? .unreachable(error))))
        }
    }

    private func open(_ route: Route.Tunnel) {
        let handshake = route.handshake(
            to: dial.address(of: route), shared.proxyLogins, limits: shared.configuration.limits,
            isFirst: dial.challengeCount == 0, isLast: !dial.answersChallenges)
        guard let transport = transport.take(), let token = token.take() else { return }
        let isLast = self.route?.tunnelTarget == route.target
        let isPlain = isLast && letsServerBegin && route.target.scheme == .http
        let tunnel = TunnelOpener(
            handshake, transport: transport, token: token, loop: shared.loop, letsServerBegin: isPlain
        ) { self.tunnelled($0, token) }
        self.tunnel = tunnel
        tell(.tunnelling(route.proxy))
        tunnel.start()
    }

    private func tunnelled(_ outcome: TunnelOpener.Outcome, _ token: RegistrationToken) {
        let answer = tunnel.take()?.answer
        if dial.isOver { return }
        if let answer { dial.answered(answer) }
        switch outcome {
        case .open(let transport, let bytes):
            (self.transport, self.token) = (transport, token)
            early.bytes += bytes
            follow(dial.tunnelled(at: shared.loop.exactNow))
        case .repeated: follow(dial.challenged())
        case .failed(let reason):
            follow((reason.isAboutEndOfTunnel ? dial.unreached() : nil) ?? dial.failed(reason))
        }
    }

    private func announce(_ version: ProxyProtocol) {
        let header = version.header(from: dial.announcedEnds.local, to: dial.announcedEnds.remote)
        do throws(TransportError) {
            let count = try transport?.send(header) ?? 0
            // The buffer of a new connection has room for so little.
            guard count == header.count else { return follow(dial.failed(.transfer(.connectionLost(nil)))) }
        } catch {
            return follow(dial.failed(error.reason))
        }
        follow(dial.announced())
    }

    private func secure(_ peer: Dial.Peer) {
        guard let trustContext = trustContexts.first(where: { $0.peer == peer }) else { return }
        do throws(TLSError) {
            let inquiry = peer.isProxy ? nil : TrustInquiry(about: peer.server, shared, owner: self)
            let session = try trustContext.newSession(asksUser: inquiry != nil)
            // A delegate may have cancelled within its call.
            guard let transport = transport.take(), let token = token.take() else { return }
            transport.secure(by: session)
            self.inquiry = inquiry
            self.trustContext = trustContext
            isReported = false
            let handshake = TLSHandshake(
                transport: transport, token: token, shared, trustContext.services.revocation,
                sideRoute: trustContext.sideRoute, inquiry: inquiry
            ) {
                self.secured($0, token, trustContext)
            }
            handshake.letsServerBegin = letsServerBegin
            self.handshake = handshake
            tell(.securing(host: peer.server.certifiedHost))
            handshake.start()
        } catch {
            follow(dial.failed(.connecting(.insecure(error))))
        }
    }

    private func secured(
        _ result: Result<Transport, SessionError.Reason>, _ token: RegistrationToken, _ trustContext: ServerTrustContext
    ) {
        if let trust = handshake?.trust, !isReported { trustContext.report(trust) }
        if let handshake { early = (early.bytes + handshake.early, handshake.hasEnded) }
        handshake = nil
        if dial.isOver { return }
        switch consume result {
        case .success(let transport):
            self.token = token
            self.transport = transport
            if let info = transport.tlsInfo {
                tell(.secured(host: trustContext.peer.server.certifiedHost, info, transport.trust))
            }
            if trust?.generation == shared.trust.generation { return follow(dial.secured(at: shared.loop.exactNow)) }
            closeTransport()
            (trust, trustContexts) = (nil, [])
            follow(dial.policiesChanged())
        case .failure(let reason): follow(dial.failed(reason))
        }
    }

    private func open() {
        // No byte has been received yet. Over TLS the handshake checks this.
        if transport?.isSecure == false, !letsServerBegin, transport?.hasInput == true {
            return follow(dial.failed(unaskedInput))
        }
        guard let transport = transport.take(), let token = token.take(), let metrics = metrics(of: transport) else {
            return
        }
        let connection = Connection(
            transport: transport, token: token, metrics: metrics, loop: shared.loop, settings: shared.exchange,
            owner: owner, trustGeneration: trust?.generation,
            servesOneExchange: metrics.overriddenTrustFailure != nil && inquiry?.isOverForSession != true)
        do throws(SystemCallError) {
            try shared.loop.transfer(token, to: connection, interest: .readable)
        } catch {
            shared.loop.deregister(token)
            return follow(dial.failed(.system(error)))
        }
        cancel()
        connection.tell(.opened(metrics))
        owner.dialler(self, opened: connection)
    }

    /// A server that sends first, or nothing.
    private var unaskedInput: SessionError.Reason {
        var byte: UInt8 = 0
        let received = try? unsafe withUnsafeMutableBytes(of: &byte) { try unsafe transport?.receive(into: $0) }
        if case .bytes = received { return .transfer(.malformedResponse(.unexpectedBytes)) }
        return .transfer(.connectionLost(nil))
    }

    private func metrics(of transport: Transport) -> ConnectionMetrics? {
        dial.remoteAddress.map { address in
            ConnectionMetrics(
                remoteAddress: address, localAddress: dial.localAddress, proxies: route?.proxies ?? [],
                tls: transport.tlsInfo, trust: transport.trust, start: dial.timeline.began,
                resolved: dial.timeline.resolved, connected: dial.timeline.connected,
                secured: dial.timeline.secured, isDirect: isDirect, connectHeads: dial.connectHeads)
        }
    }
}

// What its inquiry needs
extension Dialler {
    /// The task that the connection is for; nil if no task waits for it any more.
    var respondent: (any DialRespondent)? { owner.respondent(of: self) }

    /// The verdict of the policies is final, and delegates are asked now. Pins are reported regardless of the answer.
    func inquiryBegan(_ verdict: ServerTrustResult) {
        timer?.pause()
        isReported = true
        trustContext?.report(verdict)
    }

    /// The delegates have answered, or will not answer any more.
    func inquiryEnded() { timer?.resume() }
}

/// Has a connection opened. The dialler calls one of these methods once, unless it is cancelled.
protocol DialOwner: ConnectionOwner {
    func dialler(_ dialler: Dialler, opened connection: Connection)

    func dialler(_ dialler: Dialler, failed failure: DialFailure)

    /// The task that the connection is for; nil if no task waits for it any more.
    func respondent(of dialler: Dialler) -> (any DialRespondent)?
}

/// Who a connection is opened for: a task, or another attempt of it.
protocol DialRespondent: TrustRespondent {
    /// A step was taken to open the connection.
    func took(_ step: ConnectionStep)
}

extension EgressGuard {
    fileprivate init?(_ route: Route, to endpoint: Route.Endpoint, _ shared: SharedSettings) {
        let host: HTTPOrigin? = if case .host(let host) = endpoint { host } else { nil }
        // Like a proxy, a dialer may connect to the host that the URL names.
        let isDialled = if case .dialer = endpoint { true } else { false }
        let proxies = route.proxies
        self.init(
            session: shared.configuration.egressPolicy, request: route.egressPolicy, origin: route.tunnelTarget,
            endpoint: host, isForwarded: !proxies.isEmpty || isDialled,
            proxies: (isDialled ? proxies : Array(proxies.dropFirst())).map(\.server))
    }
}

extension SessionError.Reason {
    /// Whether a proxy refused because of what is behind it, rather than the client.
    fileprivate var isAboutEndOfTunnel: Bool {
        switch self {
        case .connecting(.proxy(.refusedBySOCKS)): true
        case .connecting(.proxy(.refused(let refusal))): refusal.status >= 500
        default: false
        }
    }
}

/// A deadline that can be paused. On its loop's thread.
struct DialTimer {
    private let loop: ReactorLoop
    private let token: RegistrationToken
    private var deadline: MonotonicInstant?
    private var pausedAt: MonotonicInstant?

    /// A timer without a deadline, whose expiry is `handler`'s only event.
    init(_ handler: any ReadinessHandler, on loop: ReactorLoop) {
        self.loop = loop
        token = loop.registerTimer(handler: handler)
    }

    mutating func set(_ deadline: MonotonicInstant) {
        self.deadline = deadline
        if pausedAt == nil { loop.setDeadline(deadline, for: token) } else { pausedAt = loop.exactNow }
    }

    mutating func pause() {
        guard pausedAt == nil else { return }
        pausedAt = loop.exactNow
        loop.setDeadline(nil, for: token)
    }

    /// Resumes with the remaining time.
    mutating func resume() {
        guard let pausedAt = pausedAt.take(), let deadline else { return }
        set(deadline.advanced(by: pausedAt.duration(to: loop.exactNow)))
    }

    func cancel() { loop.deregister(token) }
}

/// The settings for evaluating one server, chosen before it is connected to.
struct ServerTrustContext {
    let peer: Dial.Peer
    let services: TrustServices
    private let context: TLSContext
    private let decision: TrustDecision
    private let identity: ClientIdentity?
    /// The settings of the routes of the library's own requests about this server.
    let sideRoute: RouteSettings?

    /// - Parameters:
    ///   - context: that of the settings.
    ///   - identity: the client's certificate for this server; nil for that of the settings.
    init(
        of peer: Dial.Peer, _ context: TLSContext, _ settings: TrustSettings, _ services: TrustServices,
        identity: ClientIdentity?, sideRoute: RouteSettings?
    ) throws(TLSError) {
        let host = peer.server.certifiedHost
        (self.peer, self.context, self.services, self.sideRoute) = (peer, context, services, sideRoute)
        self.identity = identity ?? settings.identity(forHost: host)
        decision = try settings.decision(forHost: host)
    }

    /// Creates a TLS session that evaluates the server. A policy may be asked whether a verdict still holds.
    ///
    /// - Parameter asksUser: whether delegates answer the verdict.
    func newSession(asksUser: Bool) throws(TLSError) -> TLSSession {
        try TLSSession(
            context: context, host: peer.server.certifiedHost, port: peer.server.port, policy: decision.policy,
            rules: decision.rules, identity: identity, asksUser: asksUser)
    }

    /// Sends a report if the server did not match a pin set that wants reports.
    func report(_ result: ServerTrustResult) {
        services.report(result, by: decision, of: peer.server, along: sideRoute)
    }
}
