// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// How one connection is opened: the steps that lead along a route, or that secure a connection which exists, and what
/// follows each step. The machine decides; `Dialler` acts.
///
/// The driver takes one step at a time and tells the machine the result. An event that belongs to no current step, such
/// as an answer that arrives too late, changes nothing.
struct Dial: ~Copyable {
    /// What is done, in this order. A connection is secured in layers, one for each `secure`: that of the server which
    /// passes on to the origin, and that of the origin. A proxy's steps lie between them.
    enum Step: Hashable {
        /// Load what the certificate of this server is evaluated with.
        case prepare(HTTPOrigin)
        /// Turn the host into addresses.
        case resolve(HTTPOrigin)
        /// Connect to one of the `addresses`.
        case connect
        /// Shake hands with this server over the connection as it is.
        case secure(HTTPOrigin)

        var phase: SessionError.Phase {
            switch self {
            case .resolve: .resolve
            case .connect: .connect
            case .prepare, .secure: .tls
            }
        }
    }

    private enum Stage {
        /// At the step of this place. Exits: the next one, the first one, arrived, over.
        case underWay(Int)
        /// Every step is taken. Exit: over.
        case arrived
        /// Exit: none.
        case over
    }

    /// When it was decided to open the connection, and when each step towards it ended.
    struct Timeline: Equatable {
        let began: MonotonicInstant
        var resolved: MonotonicInstant
        var connected: MonotonicInstant
        var secured: MonotonicInstant?
    }

    private let steps: [Step]
    private let isToSocket: Bool
    /// What the local end is bound to; nil for what the kernel chooses.
    let boundAddress: TransportAddress?
    /// The connection existed before the first step, so no step can be taken a second time.
    private let isOverConnection: Bool
    private var stage = Stage.over
    private(set) var timeline: Timeline
    /// Where to connect to, as soon as that is known.
    private(set) var addresses: [TransportAddress]
    /// The address spoken to, if it came to that.
    private(set) var remoteAddress: TransportAddress?
    /// And from which.
    private(set) var localAddress: TransportAddress?

    /// `address` is the route's, if it leads to one already.
    init(_ route: Route, address: TransportAddress?, now: MonotonicInstant) {
        steps = Self.steps(along: route, isResolved: address != nil)
        isToSocket = if case .socket = route.endpoint { true } else { false }
        isOverConnection = false
        boundAddress = route.localAddress
        addresses = address.map { [$0] } ?? []
        timeline = Timeline(began: now, resolved: now, connected: now)
    }

    /// Secures a connection that exists.
    init(securing connection: ConnectionMetrics, with server: HTTPOrigin) {
        steps = [.prepare(server), .secure(server)]
        (isToSocket, isOverConnection, boundAddress) = (false, true, nil)
        (addresses, remoteAddress, localAddress) = ([], connection.remoteAddress, connection.localAddress)
        timeline = Timeline(
            began: connection.start, resolved: connection.resolved, connected: connection.connected)
    }

    static func steps(along route: Route, isResolved: Bool) -> [Step] {
        var steps: [Step] = []
        steps += route.secured.map(Step.prepare)
        if case .host(let host) = route.endpoint, !isResolved { steps.append(.resolve(host)) }
        steps.append(.connect)
        steps += route.secured.map(Step.secure)
        return steps
    }

    /// What to do next.
    enum Next {
        case take(Step)
        /// Hand over what stands; it may still fail at that.
        case open
        /// Have the connector say what it knows, which is more than that time is up.
        case stopConnecting
        /// Tell so; everything else is over.
        case fail(DialFailure)
        /// Nothing: it is not the turn of what was told, or it is over.
        case rest
    }

    mutating func begin() -> Next { go(to: 0) }

    mutating func prepared() -> Next {
        guard case .prepare = current else { return .rest }
        return goOn()
    }

    mutating func resolved(_ addresses: [TransportAddress], at now: MonotonicInstant) -> Next {
        guard case .resolve = current else { return .rest }
        self.addresses = addresses
        timeline.resolved = now
        return goOn()
    }

    mutating func connected(
        to address: TransportAddress, from local: TransportAddress?, at now: MonotonicInstant
    ) -> Next {
        guard case .connect = current else { return .rest }
        remoteAddress = address
        localAddress = local
        timeline.connected = now
        return goOn()
    }

    mutating func secured(at now: MonotonicInstant) -> Next {
        guard case .secure = current else { return .rest }
        timeline.secured = now
        return goOn()
    }

    /// The server was evaluated by policies that have been replaced meanwhile: begins again, within the same time
    /// limit, unless there can be no second handshake over the connection.
    mutating func policiesChanged() -> Next {
        guard case .secure = current else { return .rest }
        return isOverConnection ? failed(.transfer(.connectionLost(nil))) : go(to: 0)
    }

    /// The step that is being taken, or the hand-over, came to nothing.
    mutating func failed(_ reason: SessionError.Reason) -> Next {
        if isOver { return .rest }
        let failure = DialFailure(reason: reason, phase: phase, remoteAddress: remoteAddress)
        stage = .over
        return .fail(failure)
    }

    mutating func timedOut() -> Next {
        // A backlog that stays full is a fault of this machine, and no matter of distance.
        if case .connect = current, isToSocket { return .stopConnecting }
        return failed(.timedOut(.connect))
    }

    /// It was cancelled, or what it led to is handed over.
    mutating func end() { stage = .over }

    var isOver: Bool { if case .over = stage { true } else { false } }

    private var current: Step? {
        guard case .underWay(let place) = stage else { return nil }
        return steps[place]
    }

    private var phase: SessionError.Phase { (current ?? steps.last)?.phase ?? .connect }

    private mutating func goOn() -> Next {
        guard case .underWay(let place) = stage else { return .rest }
        return go(to: place + 1)
    }

    private mutating func go(to place: Int) -> Next {
        guard place < steps.count else {
            stage = .arrived
            return .open
        }
        stage = .underWay(place)
        // No other address can be meant, whether a server listens or not.
        if steps[place] == .connect, isToSocket { remoteAddress = addresses.first }
        return .take(steps[place])
    }
}
