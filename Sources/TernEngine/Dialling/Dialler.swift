// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import TernTLS

/// Opens one connection: resolve, connect, and for https shake hands. Bounded as a whole by the connect time limit of the
/// task that relies on it.
///
/// Reports to its pool exactly once, unless it is cancelled. Lives on its shard's loop; `@unchecked Sendable` because
/// the resolver's answer comes back through the loop's mailbox.
final class Dialler: ReadinessHandler, @unchecked Sendable {
    private let origin: Origin
    private let shard: Shard
    private let pool: ConnectionPool
    /// Its pool's name for it.
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

    init(origin: Origin, shard: Shard, pool: ConnectionPool, number: Int, deadline: MonotonicInstant) {
        self.origin = origin
        self.shard = shard
        self.pool = pool
        self.number = number
        self.deadline = deadline
        began = .now
        resolved = began
        connected = began
    }

    func start() {
        let timer = shard.loop.registerTimer(handler: self)
        shard.loop.setDeadline(deadline, for: timer)
        self.timer = timer
        switch origin.scheme {
        case .http: resolve()
        case .https:
            if let context = shard.trust.readyContext { return prepared(context) }
            shard.trust.context { context in self.shard.perform { _ in self.prepared(context) } }
        }
    }

    /// For whoever relies on it from now on.
    func setDeadline(_ deadline: MonotonicInstant) {
        self.deadline = deadline
        if let timer { shard.loop.setDeadline(deadline, for: timer) }
    }

    func cancel() {
        isOver = true
        if let question { shard.resolver.giveUp(question) }
        question = nil
        connector?.cancel()
        handshake?.cancel()
        if let timer { shard.loop.deregister(timer) }
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
            decision = try shard.trust.decision(forHost: origin.host)
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
        if let address = pool.address { return connect(to: [address]) }
        question = shard.resolver.resolve(host: origin.host, port: origin.port) { addresses in
            self.shard.perform { _ in self.resolved(addresses) }
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
        // It ends before us, or by our `cancel`: so this is no cycle for long.
        let connector = Connector(addresses: addresses, loop: shard.loop) { self.connected($0) }
        self.connector = connector
        connector.start()
    }

    private func connected(_ result: consuming Result<Connector.Connected, ConnectError>) {
        connector = nil
        connected = .now
        switch consume result {
        case .success(let connection):
            remoteAddress = connection.address
            guard let context, let decision else {
                // Nothing has been asked for yet. Over TLS the handshake takes care of that.
                if connection.socket.hasInput { return refuse(connection) }
                return succeed(
                    Transport(socket: connection.socket, tls: nil), token: connection.token, metrics(nil, nil))
            }
            phase = .tls
            secure(connection, context, decision)
        case .failure(let error):
            fail(.unreachable(error))
        }
    }

    /// A connection on which the server speaks first, or has nothing to say.
    private func refuse(_ connection: consuming Connector.Connected) {
        var byte: UInt8 = 0
        let received = try? unsafe withUnsafeMutableBytes(of: &byte) { try unsafe connection.socket.receive(into: $0) }
        shard.loop.deregister(connection.token)
        if case .bytes = received { fail(.malformedResponse(.unaskedBytes)) } else { fail(.connectionLost(nil)) }
    }

    private func secure(
        _ connection: consuming Connector.Connected, _ context: TLSContext, _ decision: TrustDecision
    ) {
        let token = connection.token
        do throws(TLSError) {
            let session = try TLSSession(
                context: context, host: origin.host, port: origin.port, policy: decision.policy,
                profile: decision.profile)
            // The policy may have been asked to reaffirm a verdict, and have cancelled.
            if isOver { return shard.loop.deregister(token) }
            let handshake = TLSHandshake(
                transport: Transport(socket: connection.socket, tls: session), token: token, shard: shard
            ) { self.secured($0, token) }
            self.handshake = handshake
            handshake.start()
        } catch {
            shard.loop.deregister(token)
            fail(.insecure(error))
        }
    }

    private func secured(_ result: consuming Result<Transport, EngineError.Reason>, _ token: RegistrationToken) {
        if let decision, let trust = handshake?.trust { shard.trust.report(trust, by: decision, of: origin) }
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
    private var isCurrent: Bool { decision.map { $0.generation == shard.trust.generation } ?? true }

    /// The policies changed while hands were shaken, so it has to be done once more, within the same time limit.
    private func startAgain(_ token: RegistrationToken) {
        shard.loop.deregister(token)
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
        guard !isOver, let metrics else { return shard.loop.deregister(token) }
        do throws(SystemError) {
            let connection = Connection(
                transport: transport, token: token, metrics: metrics, origin: origin, shard: shard, pool: pool,
                trustGeneration: decision?.generation)
            try shard.loop.transfer(token, to: connection, interest: .readable)
            cancel()
            pool.attempt(self, opened: connection)
        } catch {
            shard.loop.deregister(token)
            fail(.system(error))
        }
    }

    private func fail(_ reason: EngineError.Reason) {
        if isOver { return }
        cancel()
        let error = EngineError(reason, phase: phase, origin: origin, remoteAddress: remoteAddress)
        // Later, not now: some failures come within `start`, and whoever starts over and over must not sink ever deeper.
        shard.loop.execute { self.pool.attempt(self, failed: error) }
    }
}
