// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import TernTLS

/// Opens one connection: resolve, connect, and for https shake hands. Bounded as a whole by the connect time limit of the
/// task that relies on it.
///
/// Reports to its owner exactly once, unless it is cancelled. Lives on its loop's thread; `@unchecked Sendable` because
/// the resolver's answer comes back through the loop's mailbox.
final class Dialler: ReadinessHandler, @unchecked Sendable {
    private let route: Route
    /// Where the route leads to, if its host is an address already.
    private let address: SocketAddress?
    private let shared: SharedSettings
    private let owner: any DialOwner
    /// Its owner's name for it.
    let number: Int
    private var deadline: MonotonicInstant
    private let began: MonotonicInstant
    private var phase = EngineError.Phase.resolve
    private var timer: RegistrationToken?
    private var question: Resolver.Question?
    private var connector: Connector?
    private var handshake: TLSHandshake?
    private var context: TLSContext?
    private var decision: TrustDecision?
    private var resolved: MonotonicInstant
    private var connected: MonotonicInstant
    private var remoteAddress: SocketAddress?
    private var isOver = false

    init(
        _ route: Route, address: SocketAddress?, _ shared: SharedSettings, owner: any DialOwner, number: Int,
        deadline: MonotonicInstant
    ) {
        self.route = route
        self.address = address
        self.shared = shared
        self.owner = owner
        self.number = number
        self.deadline = deadline
        began = .now
        resolved = began
        connected = began
    }

    func start() {
        let timer = shared.loop.registerTimer(handler: self)
        shared.loop.setDeadline(deadline, for: timer)
        self.timer = timer
        if route.secured == nil { return resolve() }
        if let context = shared.trust.readyContext { return prepared(context) }
        shared.trust.context { context in self.shared.perform { self.prepared(context) } }
    }

    /// For whoever relies on it from now on.
    func setDeadline(_ deadline: MonotonicInstant) {
        self.deadline = deadline
        if let timer { shared.loop.setDeadline(deadline, for: timer) }
    }

    func cancel() {
        isOver = true
        if let question { shared.resolver.giveUp(question) }
        question = nil
        connector?.cancel()
        handshake?.cancel()
        if let timer { shared.loop.deregister(timer) }
        timer = nil
    }

    /// The deadline is this registration's only event.
    func ready(_ readiness: Readiness) {
        handshake?.peerLost()
        fail(.timedOut(.connect))
    }

    private func prepared(_ context: Result<TLSContext, TLSError>) {
        if isOver { return }
        switch context {
        case .success(let context): prepared(context)
        case .failure(let error): refuse(error)
        }
    }

    private func prepared(_ context: TLSContext) {
        self.context = context
        do throws(TLSError) {
            guard let server = route.secured else { return resolve() }
            decision = try shared.trust.decision(forHost: server.host)
        } catch {
            return refuse(error)
        }
        resolve()
    }

    private func refuse(_ error: TLSError) {
        phase = .tls
        fail(.insecure(error))
    }

    private func resolve() {
        if let address { return connect(to: [address]) }
        switch route.endpoint {
        case .host(let origin):
            question = shared.resolver.resolve(host: origin.host, port: origin.port) { addresses in
                self.shared.perform { self.resolved(addresses) }
            }
        case .socket(let name): connect(to: [.unix(name)])
        }
    }

    private func resolved(_ addresses: Result<[SocketAddress], ResolveError>) {
        if isOver { return }
        question = nil
        resolved = .now
        switch addresses {
        case .success(let addresses): connect(to: addresses)
        case .failure(let error): fail(.unresolved(error))
        }
    }

    private func connect(to addresses: [SocketAddress]) {
        // Policies are asked for before, and whoever answers may have cancelled.
        if isOver { return }
        phase = .connect
        // Nobody else can be meant.
        if case .socket = route.endpoint { remoteAddress = addresses.first }
        // It ends before us, or by our `cancel`: so this is no cycle for long.
        let connector = Connector(addresses: addresses, loop: shared.loop) { self.connected($0) }
        self.connector = connector
        connector.start()
    }

    private func connected(_ result: consuming Result<Connector.Connected, ConnectError>) {
        connector = nil
        connected = .now
        switch consume result {
        case .success(let connection):
            remoteAddress = connection.address
            guard let server = route.secured, let context, let decision else {
                // Nothing has been asked for yet. Over TLS the handshake takes care of that.
                if connection.socket.hasInput { return refuse(connection) }
                return succeed(
                    Transport(socket: connection.socket, tls: nil), token: connection.token, metrics(nil, nil))
            }
            phase = .tls
            secure(connection, server, context, decision)
        case .failure(let error):
            fail(.unreachable(error))
        }
    }

    /// A connection on which the server speaks first, or has nothing to say.
    private func refuse(_ connection: consuming Connector.Connected) {
        var byte: UInt8 = 0
        let received = try? unsafe withUnsafeMutableBytes(of: &byte) { try unsafe connection.socket.receive(into: $0) }
        shared.loop.deregister(connection.token)
        if case .bytes = received { fail(.malformedResponse(.unaskedBytes)) } else { fail(.connectionLost(nil)) }
    }

    private func secure(
        _ connection: consuming Connector.Connected, _ server: Origin, _ context: TLSContext, _ decision: TrustDecision
    ) {
        let token = connection.token
        do throws(TLSError) {
            let session = try TLSSession(
                context: context, host: server.host, port: server.port, policy: decision.policy,
                profile: decision.profile)
            // The policy may have been asked to reaffirm a verdict, and have cancelled.
            if isOver { return shared.loop.deregister(token) }
            let handshake = TLSHandshake(
                transport: Transport(socket: connection.socket, tls: session), token: token, shared
            ) { self.secured($0, token) }
            self.handshake = handshake
            handshake.start()
        } catch {
            shared.loop.deregister(token)
            fail(.insecure(error))
        }
    }

    private func secured(_ result: consuming Result<Transport, EngineError.Reason>, _ token: RegistrationToken) {
        if let decision, let server = route.secured, let trust = handshake?.trust {
            shared.trust.report(trust, by: decision, of: server)
        }
        handshake = nil
        switch consume result {
        case .success(let transport):
            guard isCurrent else { return startAgain(token) }
            let info = transport.tlsInfo
            let trust = transport.trust
            succeed(transport, token: token, metrics(info, trust))
        case .failure(let reason):
            fail(reason)
        }
    }

    /// Whether the policies that the server was judged by still count.
    private var isCurrent: Bool { decision.map { $0.generation == shared.trust.generation } ?? true }

    /// The policies changed while hands were shaken, so it has to be done once more, within the same time limit.
    private func startAgain(_ token: RegistrationToken) {
        shared.loop.deregister(token)
        phase = .resolve
        if let context { prepared(context) }
    }

    private func metrics(_ tls: TLSInfo?, _ trust: ServerTrustResult?) -> ConnectionMetrics? {
        remoteAddress.map {
            ConnectionMetrics(
                remoteAddress: $0, tls: tls, verifiedChain: trust?.verifiedChain ?? [], start: began,
                resolved: resolved,
                connected: connected, secured: tls == nil ? nil : .now)
        }
    }

    private func succeed(_ transport: consuming Transport, token: RegistrationToken, _ metrics: ConnectionMetrics?) {
        guard !isOver, let metrics else { return shared.loop.deregister(token) }
        do throws(SystemError) {
            let connection = Connection(
                transport: transport, token: token, metrics: metrics, loop: shared.loop, settings: shared.exchange,
                owner: owner, trustGeneration: decision?.generation)
            try shared.loop.transfer(token, to: connection, interest: .readable)
            cancel()
            owner.dialler(self, opened: connection)
        } catch {
            shared.loop.deregister(token)
            fail(.system(error))
        }
    }

    private func fail(_ reason: EngineError.Reason) {
        if isOver { return }
        cancel()
        let failure = DialFailure(reason: reason, phase: phase, remoteAddress: remoteAddress)
        // Later, not now: some failures come within `start`, and whoever starts over and over must not sink ever deeper.
        shared.loop.execute { self.owner.dialler(self, failed: failure) }
    }
}
