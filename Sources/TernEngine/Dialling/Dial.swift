// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// The way to one connection: the steps that lead along a route, and what comes next after each. Decides, does nothing.
///
/// Whoever drives it takes one step at a time and tells what became of it. Events out of turn, such as an answer that
/// comes when nobody waits for it any more, change nothing.
struct Dial: ~Copyable {
    /// What is done on the way, in this order. What a proxy wants has its place between `connect` and `secure`, as
    /// further cases: hands shaken with the proxy itself, and being connected further by it.
    enum Step: Hashable {
        /// Have ready what the server will be judged by.
        case prepare(Origin)
        /// Turn the host into addresses.
        case resolve(Origin)
        /// Connect to one of the `addresses`.
        case connect
        /// Shake hands with the server over what stands.
        case secure(Origin)

        var phase: EngineError.Phase {
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
    private var stage = Stage.over
    private(set) var timeline: Timeline
    /// Where to connect to, as soon as that is known.
    private(set) var addresses: [SocketAddress]
    /// The address spoken to, if it came to that.
    private(set) var remoteAddress: SocketAddress?
    /// And from which.
    private(set) var localAddress: SocketAddress?

    /// `address` is the route's, if it leads to one already.
    init(_ route: Route, address: SocketAddress?, now: MonotonicInstant) {
        steps = Self.steps(along: route, isResolved: address != nil)
        isToSocket = if case .socket = route.endpoint { true } else { false }
        addresses = address.map { [$0] } ?? []
        timeline = Timeline(began: now, resolved: now, connected: now)
    }

    static func steps(along route: Route, isResolved: Bool) -> [Step] {
        var steps: [Step] = []
        if let server = route.secured { steps.append(.prepare(server)) }
        if case .host(let host) = route.endpoint, !isResolved { steps.append(.resolve(host)) }
        steps.append(.connect)
        if let server = route.secured { steps.append(.secure(server)) }
        return steps
    }

    /// What to do next.
    enum Next {
        case take(Step)
        /// Hand over what stands; it may still fail at that.
        case open
        /// Have whoever connects say what he knows, which is more than that time is up.
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

    mutating func resolved(_ addresses: [SocketAddress], at now: MonotonicInstant) -> Next {
        guard case .resolve = current else { return .rest }
        self.addresses = addresses
        timeline.resolved = now
        return goOn()
    }

    mutating func connected(
        to address: SocketAddress, from local: SocketAddress?, at now: MonotonicInstant
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

    /// Hands were shaken with a server that was judged by policies which count no more: it has to be done once more,
    /// within the same time limit.
    mutating func policiesChanged() -> Next {
        guard case .secure = current else { return .rest }
        return go(to: 0)
    }

    /// The step that is being taken, or the hand-over, came to nothing.
    mutating func failed(_ reason: EngineError.Reason) -> Next {
        if isOver { return .rest }
        let failure = DialFailure(reason: reason, phase: phase, remoteAddress: remoteAddress)
        stage = .over
        return .fail(failure)
    }

    mutating func timeIsUp() -> Next {
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

    private var phase: EngineError.Phase { (current ?? steps.last)?.phase ?? .connect }

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
        // Nobody else can be meant, whether there is somebody or not.
        if steps[place] == .connect, isToSocket { remoteAddress = addresses.first }
        return .take(steps[place])
    }
}
