// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// How one connection is opened: the steps along a route, or those that secure an existing connection, and what follows
/// each step. The machine decides; `Dialler` acts.
///
/// The driver takes one step at a time and reports the result. An event that belongs to no current step, such as an
/// answer that arrives too late, has no effect.
struct Dial: ~Copyable {
    /// What is done, in this order. A connection is secured in layers, one for each `secure`: that of the server which
    /// passes on to the origin, and that of the origin. A proxy's steps lie between them.
    enum Step: Hashable {
        /// Load the settings for evaluating this server's certificate.
        case prepare(Peer)
        /// Resolve the host.
        case resolve(HTTPOrigin)
        /// Resolve the end of a tunnel for a proxy that gets an address.
        case locate(Route.Tunnel)
        /// Connect to one of the `addresses`.
        case connect
        /// Have a dialer connect to this host, in place of resolving and connecting.
        case dial(HTTPOrigin)
        /// Have a proxy open a tunnel over the current connection.
        case tunnel(Route.Tunnel)
        /// Send the header of the PROXY protocol to the origin.
        case announce(ProxyProtocol)
        /// Perform a TLS handshake with this server over the current connection.
        case secure(Peer)

        var phase: SessionError.Phase {
            switch self {
            case .resolve, .locate: .resolve
            case .connect, .dial, .tunnel, .announce: .connect
            case .prepare, .secure: .tls
            }
        }

        /// Whether a connection follows from it.
        var connects: Bool {
            switch self {
            case .connect, .dial: true
            case .prepare, .resolve, .locate, .tunnel, .announce, .secure: false
            }
        }
    }

    /// A server that is connected to over TLS.
    struct Peer: Hashable {
        let server: HTTPOrigin
        /// Proxies and origins have settings of their own.
        var isProxy = false
    }

    /// The maximum number of connections to a proxy that requests credentials.
    private static let maximumTunnelCount = 4

    private enum Stage {
        /// At the step of this index. Exits: the next one, the first one, arrived, over.
        case pending(Int)
        /// All steps are done. Exit: over.
        case arrived
        /// Exit: none.
        case over
    }

    /// When the connection was requested, and when each step of opening it ended.
    struct Timeline: Equatable {
        let began: MonotonicInstant
        var resolved: MonotonicInstant
        var connected: MonotonicInstant
        var secured: MonotonicInstant?
    }

    private let steps: [Step]
    private let isToSocket: Bool
    /// How the socket is set up.
    let socketOptions: SocketOptions
    /// The connection existed before the first step, so no step can be repeated.
    private let isOverConnection: Bool
    private var stage = Stage.over
    private(set) var timeline: Timeline
    /// The addresses to connect to, once they are known.
    private(set) var addresses: [TransportAddress]
    /// The addresses of the ends of tunnels that were resolved for their proxies, without those that a proxy has not
    /// reached.
    private var located: [Route.Tunnel: [IPAddress]] = [:]
    /// The final heads of the answers to CONNECT.
    private(set) var connectHeads: [ResponseHead] = []
    /// How often a proxy has requested credentials.
    private(set) var challengeCount = 0
    /// The peer's address, if there was a connection.
    private(set) var remoteAddress: TransportAddress?
    /// The local address.
    private(set) var localAddress: TransportAddress?

    /// `address` is the endpoint's, if it is one; the endpoint is the route's, unless another is given.
    init(_ route: Route, to endpoint: Route.Endpoint? = nil, address: TransportAddress?, now: MonotonicInstant) {
        let endpoint = endpoint ?? route.endpoint
        steps = Self.steps(along: route, to: endpoint, isResolved: address != nil)
        isToSocket = if case .socket = endpoint { true } else { false }
        isOverConnection = false
        socketOptions = route.socketOptions
        addresses = address.map { [$0] } ?? []
        timeline = Timeline(began: now, resolved: now, connected: now)
    }

    /// Secures an existing connection.
    init(securing connection: ConnectionMetrics, with server: HTTPOrigin) {
        let peer = Peer(server: server)
        steps = [.prepare(peer), .secure(peer)]
        (isToSocket, isOverConnection, socketOptions) = (false, true, SocketOptions())
        (addresses, remoteAddress, localAddress) = ([], connection.remoteAddress, connection.localAddress)
        timeline = Timeline(
            began: connection.start, resolved: connection.resolved, connected: connection.connected)
    }

    static func steps(along route: Route, to endpoint: Route.Endpoint? = nil, isResolved: Bool) -> [Step] {
        let origin = route.server
        let tunnels = route.tunnels
        var afterConnect: [Step] = []
        for (index, proxy) in route.proxies.enumerated() {
            if proxy.kind.scheme == .https { afterConnect.append(.secure(Peer(server: proxy.server, isProxy: true))) }
            if index < tunnels.count { afterConnect.append(.tunnel(tunnels[index])) }
        }
        if let version = route.proxyProtocol, !route.isToProxy { afterConnect.append(.announce(version)) }
        if origin.scheme == .https { afterConnect.append(.secure(Peer(server: origin))) }
        var steps: [Step] = afterConnect.compactMap { if case .secure(let peer) = $0 { .prepare(peer) } else { nil } }
        let endpoint = endpoint ?? route.endpoint
        if case .host(let host) = endpoint, !isResolved { steps.append(.resolve(host)) }
        // Before anything is connected to: what is refused, or does not exist, concerns no proxy.
        for case .tunnel(let tunnel) in afterConnect where tunnel.isLocated {
            steps.append(.locate(tunnel))
        }
        if case .dialer(_, let host) = endpoint { steps.append(.dial(host)) } else { steps.append(.connect) }
        return steps + afterConnect
    }

    /// The next action.
    enum Next {
        case take(Step)
        /// Hand over the connection; that may still fail.
        case open
        /// Let the connector fail with its own errors, which say more than a timeout.
        case stopConnecting
        /// Report the failure; everything else is over.
        case fail(DialFailure)
        /// None: the event belongs to no current step, or the machine is over.
        case rest
    }

    mutating func begin() -> Next { go(to: 0) }

    mutating func prepared() -> Next {
        guard case .prepare = current else { return .rest }
        return advance()
    }

    mutating func resolved(_ addresses: [TransportAddress], at now: MonotonicInstant) -> Next {
        guard case .resolve = current else { return .rest }
        self.addresses = addresses
        timeline.resolved = now
        return advance()
    }

    /// The addresses that the current tunnel's proxy is to connect to, one after another.
    mutating func located(_ addresses: [IPAddress], at now: MonotonicInstant) -> Next {
        guard case .locate(let tunnel) = current else { return .rest }
        located[tunnel] = Array(addresses.prefix(Connector.maximumAddressCount))
        timeline.resolved = now
        return advance()
    }

    /// A proxy has answered CONNECT, whatever follows from that.
    mutating func answered(_ head: ResponseHead) { connectHeads.append(head) }

    /// The address of a tunnel's end that was resolved for its proxy; nil where the proxy gets the name.
    func address(of tunnel: Route.Tunnel) -> IPAddress? { located[tunnel]?.first }

    /// The current tunnel's proxy has not reached the address that it got: connects again for the next one; nil if there
    /// is none.
    mutating func unreached() -> Next? {
        guard case .tunnel(let tunnel) = current, let addresses = located[tunnel], addresses.count > 1,
            let place = steps.firstIndex(where: \.connects)
        else { return nil }
        located[tunnel] = Array(addresses.dropFirst())
        return go(to: place)
    }

    mutating func connected(
        to address: TransportAddress, from local: TransportAddress?, at now: MonotonicInstant
    ) -> Next {
        switch current {
        case .connect, .dial: break
        default: return .rest
        }
        remoteAddress = address
        localAddress = local
        timeline.connected = now
        return advance()
    }

    /// A tunnel is open.
    mutating func tunnelled(at now: MonotonicInstant) -> Next {
        guard case .tunnel = current else { return .rest }
        timeline.connected = now
        return advance()
    }

    /// A proxy has requested credentials, and there are some that it has not refused: starts again, within the same
    /// timeout.
    mutating func challenged() -> Next {
        guard case .tunnel = current else { return .rest }
        challengeCount += 1
        return go(to: 0)
    }

    /// Whether a further challenge may be answered.
    var answersChallenges: Bool { challengeCount + 1 < Self.maximumTunnelCount }

    /// The addresses for the header of the PROXY protocol. Behind a tunnel there are none: the proxy's connection to the origin
    /// has others, and the client's own is not for the origin to see.
    var announcedEnds: (local: TransportAddress?, remote: TransportAddress?) {
        let isTunnelled = steps.contains { if case .tunnel = $0 { true } else { false } }
        return isTunnelled ? (nil, nil) : (localAddress, remoteAddress)
    }

    /// The header of the PROXY protocol is on its way.
    mutating func announced() -> Next {
        guard case .announce = current else { return .rest }
        return advance()
    }

    mutating func secured(at now: MonotonicInstant) -> Next {
        guard case .secure = current else { return .rest }
        timeline.secured = now
        return advance()
    }

    /// The server was evaluated by policies that have been replaced since: starts again, within the same timeout,
    /// unless a second handshake over the connection is impossible.
    mutating func policiesChanged() -> Next {
        guard case .secure = current else { return .rest }
        return isOverConnection ? failed(.transfer(.connectionLost(nil))) : go(to: 0)
    }

    /// The current step, or the hand-over, failed.
    mutating func failed(_ reason: SessionError.Reason) -> Next {
        if isOver { return .rest }
        let failure = DialFailure(
            reason: reason, phase: phase, remoteAddress: remoteAddress, connection: failedConnection)
        stage = .over
        return .fail(failure)
    }

    /// A policy refuses to connect, which is no failure of the step that it would have followed.
    mutating func refused(_ violation: EgressViolation) -> Next {
        if isOver { return .rest }
        let failure = DialFailure(
            reason: .connecting(.egressRefused(violation)), phase: .connect, remoteAddress: remoteAddress,
            connection: failedConnection)
        stage = .over
        return .fail(failure)
    }

    mutating func timedOut() -> Next {
        // A full backlog is a problem of this machine rather than of the network.
        if case .connect = current, isToSocket { return .stopConnecting }
        return failed(.timedOut(.connect))
    }

    /// It was cancelled, or the connection is handed over.
    mutating func end() { stage = .over }

    var isOver: Bool { if case .over = stage { true } else { false } }

    private var current: Step? {
        guard case .pending(let place) = stage else { return nil }
        return steps[place]
    }

    /// What there is to say of the connection if it ends here.
    var failedConnection: FailedConnectionMetrics {
        let left = if case .pending(let place) = stage { steps[place...] } else { steps[steps.endIndex...] }
        let isResolved = !left.contains { if case .resolve = $0 { true } else { false } }
        let isConnected = !left.contains(where: \.connects)
        return FailedConnectionMetrics(
            remoteAddress: remoteAddress, phase: phase, start: timeline.began,
            resolved: isResolved ? timeline.resolved : nil, connected: isConnected ? timeline.connected : nil,
            connectHeads: connectHeads)
    }

    private var phase: SessionError.Phase { (current ?? steps.last)?.phase ?? .connect }

    private mutating func advance() -> Next {
        guard case .pending(let place) = stage else { return .rest }
        return go(to: place + 1)
    }

    private mutating func go(to place: Int) -> Next {
        guard place < steps.count else {
            stage = .arrived
            return .open
        }
        stage = .pending(place)
        // No other address is possible, whether a server listens or not.
        if steps[place] == .connect, isToSocket { remoteAddress = addresses.first }
        return .take(steps[place])
    }
}

/// Why there is no connection.
struct DialFailure {
    let reason: SessionError.Reason
    let phase: SessionError.Phase
    /// The peer's address, if there was a connection.
    var remoteAddress: TransportAddress?
    /// What was measured of a connection that was being opened; nil if none was.
    var connection: FailedConnectionMetrics?
}
