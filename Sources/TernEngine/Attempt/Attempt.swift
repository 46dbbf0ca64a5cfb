// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// One try of a hop: along one route, with one place in the lines for rates and connections, and one exchange. A state
/// machine without I/O: its owner, the task, performs what it returns.
///
/// A task makes one attempt at a time, and owns the value, so that the first one costs nothing. Every way to send a hop
/// begins with ``begin(_:_:)``: the first one, a repeat on another connection, what follows a wait, an answer to a proxy,
/// and what takes the place of a stored response that cannot be used. Every way out returns what the attempt holds.
struct Attempt: ~Copyable {
    private enum Stage {
        /// There is none. Exits: waiting.
        case none
        /// It waits until the rate permits a request. Exits: connecting, none.
        case waiting
        /// It waits for a connection. Exits: exchanging, waiting, none.
        case connecting
        /// Its exchange is in progress. Exit: none.
        case exchanging
    }

    private var stage = Stage.none
    /// The carrier of the exchange; nil while there is none.
    private(set) var carrier: (any Carrier)?
    /// Where the hop goes; of the last attempt, if there is none at present.
    private(set) var route: Route?
    /// The hop in the form in which it is sent; nil for the hop itself.
    private(set) var form: AttemptForm?
    /// How many attempts were made because a kept-alive connection turned out to be dead: 0 or 1.
    private(set) var repeatCount: Int32 = 0
    /// Whether a connection that was used before will not do.
    private(set) var needsUnusedConnection = false
    /// How many challenges of proxies were answered since the hop began or was retried.
    private var challengeCount: Int32 = 0
    /// Whether no proxy has requested a credential for the hop, or its content.
    private(set) var isUnanswered = true
    /// The place in the line for the rates of requests, until the request is sent; nil in a session without such rates.
    private(set) var reservation: RateReservation?
    /// Tells this attempt from the task's earlier ones.
    private(set) var number: UInt64 = 0
    /// Used by the pool while the attempt waits for a connection.
    var wait = Wait()

    init() {}

    /// A hop begins, which has made no attempt.
    mutating func beginHop() {
        guard needsUnusedConnection || !isUnanswered || form != nil else { return }
        (repeatCount, needsUnusedConnection, challengeCount, isUnanswered, form) = (0, false, 0, true, nil)
    }

    /// The hop is retried: a proxy whose nonces are for one use requests another answer.
    mutating func beginRetry() { challengeCount = 0 }

    /// Begins along this route. It waits for the rate, and then for a connection.
    mutating func begin(_ route: Route, _ form: AttemptForm?) {
        stage = .waiting
        number &+= 1
        self.route = route
        self.form = form
    }

    /// It stands in the line for the rate.
    mutating func reserved(_ reservation: RateReservation) { self.reservation = reservation }

    /// The rate permits it. Nil if the attempt has ended meanwhile; otherwise a connection along this route is wanted.
    mutating func admitted() -> Route? {
        guard case .waiting = stage else { return nil }
        stage = .connecting
        return route
    }

    /// The rate that permitted the attempt has been used by others before a connection was there.
    mutating func postponed() { if case .connecting = stage { stage = .waiting } }

    /// The request counts for the rate.
    mutating func spent() { reservation = nil }

    /// A carrier has taken the hop: a connection, or what answers in place of one.
    mutating func began(on carrier: any Carrier) {
        stage = .exchanging
        self.carrier = carrier
    }

    /// It ends without an exchange. The place in the line is given back.
    mutating func failed() {
        ended()
        reservation = nil
    }

    /// The exchange is over, or goes on for another owner.
    mutating func ended() {
        stage = .none
        carrier = nil
    }

    /// The connection was dead: the next attempt is the repeat.
    mutating func noteRepeat() {
        repeatCount &+= 1
        needsUnusedConnection = true
    }

    /// The connection was not the right one: the next attempts of the hop take another.
    mutating func needUnusedConnection() { needsUnusedConnection = true }

    /// Whether the head is a challenge of the proxy that the next attempt answers.
    mutating func answersProxy(_ head: ResponseHead, _ rule: ProxyRule) -> Bool {
        guard let form, rule.answers(head, to: form, after: Int(challengeCount)) else { return false }
        challengeCount &+= 1
        isUnanswered = false
        return true
    }

    /// Whether it waits for the rate.
    var isWaiting: Bool { if case .waiting = stage { true } else { false } }

    /// What an attempt holds, for an owner that gives it up.
    enum Holding {
        case nothing
        /// A place in the line for the rate.
        case place
        /// A place among those that wait for a connection along this route.
        case connectionRequest(Route)
        case exchange(any Carrier)
    }

    var holding: Holding {
        switch stage {
        case .none: .nothing
        case .waiting: .place
        case .connecting: route.map { .connectionRequest($0) } ?? .nothing
        case .exchanging: carrier.map { .exchange($0) } ?? .nothing
        }
    }
}
