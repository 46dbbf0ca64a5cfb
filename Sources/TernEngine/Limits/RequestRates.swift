// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import TernLock

/// How many requests of a session may begin in a second, in total and to each host: attempts wait in line here, and count
/// when they are sent.
///
/// An attempt enters before it looks for a connection. It stands in the line of its host, and as the first of that, when
/// the rate of the host has a token, in the line of the session, where each host has one place at a time. Standing there
/// spends nothing. When the attempt may go it looks for a connection, and at the moment of sending it spends a token of
/// the host and one of the session, or neither: others may have used them while it waited for the connection. Then it
/// stands in line again, before those that came after it.
///
/// ```
/// // On the attempt's reactor. `wake` runs on any thread.
/// let wake: @Sendable () -> Void = { shard.loop.execute { attempt.mayGo() } }
/// switch rates.enter(origin, at: loop.now, wake: wake) {
/// case .go(let reservation):
///     self.reservation = reservation
///     findConnection()
/// case .wait(let reservation):
///     self.reservation = reservation  // `mayGo()` calls `findConnection()`
/// }
///
/// // The connection is there:
/// guard reservation.spend(at: loop.now) else { return giveBack(connection) }  // `mayGo()` is called again
/// send(on: connection)
///
/// // The attempt ends before it has sent anything, wherever it waits:
/// reservation.leave()
/// ```
///
/// An attempt is told to go at the latest when it could if all that were told before had sent their requests at once. So
/// one that waits long for its connection holds the others up for one token, and one token does not send all of them to
/// look for a connection. An attempt that leaves costs the others nothing.
///
/// Timers are a few milliseconds late. An attempt that goes, or sends, less than ``RateLines/lateness`` after its time
/// counts as if it had been on time, so requests that wait begin at the rate, and not at less. In any period of t seconds
/// at most `rate × (t + lateness) + burst` requests begin.
///
/// Any thread.
final class RequestRates: Sendable {
    private struct State: ~Copyable, Sendable {
        var lines: RateLines
        var alarm: RateAlarm?
        /// When the alarm is to call, as far as it has been told.
        var alarmTime: MonotonicInstant?
    }

    private let state: Lock<State>
    private let loop: ReactorLoop

    /// Nil if no rate of requests is a limit.
    ///
    /// - Parameter loop: has the timer that ends the waits.
    init?(session: RateLimit?, perHost: RateLimit?, timerOn loop: ReactorLoop) {
        guard let lines = RateLines(session: session, perHost: perHost) else { return nil }
        state = Lock(State(lines: lines))
        self.loop = loop
    }

    deinit { state.withLock { $0.alarm.take() }?.end() }

    /// An attempt wants to send a request to `origin`.
    ///
    /// - Parameter wake: called when the attempt may go after a wait: once after `wait`, and once after each `spend` that
    ///   returned false to an attempt that had been told to go. It runs on any thread, perhaps before this call returns;
    ///   it returns at once, and acts in a later tick. A call that has begun may arrive after `leave`. It is retained
    ///   until the reservation is spent, left or released.
    func enter(_ origin: HTTPOrigin, at now: MonotonicInstant, wake: @escaping @Sendable () -> Void) -> RateEntry {
        let (ticket, mayGo) = change { $0.enter(origin.host, at: now, wake: wake) }
        let reservation = RateReservation(ticket, of: self)
        return mayGo ? .go(reservation) : .wait(reservation)
    }

    fileprivate var now: MonotonicInstant { loop.exactNow }

    /// The number of attempts that have entered, and neither sent their request nor left.
    var count: Int { state.withLock { $0.lines.count } }

    fileprivate func change<Result: Sendable>(_ body: (inout RateLines) -> Result) -> Result {
        let (result, wakes, alarm) = state.withLock { state in
            let result = body(&state.lines)
            return (result, state.lines.takeWakes(), alarmToSet(&state))
        }
        for wake in wakes { wake() }
        alarm?.set()
        return result
    }

    /// The alarm, if it has to call earlier than it was told, or not at all.
    private func alarmToSet(_ state: inout State) -> RateAlarm? {
        if state.lines.nextTime == nil, state.alarmTime != nil {
            state.alarmTime = nil
            return state.alarm
        }
        guard let time = state.lines.nextTime, state.alarmTime.map({ time < $0 }) ?? true else { return nil }
        state.alarmTime = time
        let alarm = state.alarm ?? RateAlarm(for: self, on: loop)
        state.alarm = alarm
        return alarm
    }

    /// When the alarm is to call. What it has been told before does not count any more.
    fileprivate func nextTime() -> MonotonicInstant? {
        state.withLock { state in
            state.alarmTime = state.lines.nextTime
            return state.alarmTime
        }
    }
}

/// Whether an attempt may look for a connection.
enum RateEntry {
    /// It may.
    case go(RateReservation)
    /// It is told when it may.
    case wait(RateReservation)
}

/// The place of one attempt in the rates of its session. Releasing it gives the place back.
final class RateReservation: Sendable {
    private let ticket: RateLines.Ticket
    private let rates: RequestRates

    fileprivate init(_ ticket: RateLines.Ticket, of rates: RequestRates) {
        self.ticket = ticket
        self.rates = rates
    }

    deinit { leave() }

    /// Counts the request, which is sent now. False if the rate has been used up meanwhile: the attempt waits again, and
    /// is told when it may go. False, too, without having been told to go, and after `leave`.
    func spend(at now: MonotonicInstant) -> Bool {
        let (isSpent, wake) = rates.change { lines in
            let isSpent = lines.spend(ticket, at: now)
            return (isSpent, lines.takeWake(of: ticket))
        }
        // What it retains is released here, without the lock.
        withExtendedLifetime(wake) {}
        return isSpent
    }

    /// Gives the place back, from wherever it is; without effect on one that has been spent or given back.
    func leave() {
        let now = rates.now
        let wake = rates.change { lines in
            lines.leave(ticket, at: now)
            return lines.takeWake(of: ticket)
        }
        withExtendedLifetime(wake) {}
    }
}

/// Lets the attempts go whose time has come. It belongs to its loop's thread, but for `set` and `end`, hence `@unchecked
/// Sendable`.
private final class RateAlarm: ReadinessHandler, @unchecked Sendable {
    private let loop: ReactorLoop
    private weak let rates: RequestRates?
    private var token: RegistrationToken?
    private var isOver = false

    init(for rates: RequestRates, on loop: ReactorLoop) {
        self.rates = rates
        self.loop = loop
    }

    /// Any thread. The time is read on the loop: of two threads the one with the earlier time may come first.
    func set() { loop.execute { self.follow() } }

    /// Any thread.
    func end() {
        loop.execute {
            self.isOver = true
            if let token = self.token.take() { self.loop.deregister(token) }
        }
    }

    func ready(_ readiness: Readiness) {
        rates?.change { $0.advance(to: loop.now) }
        follow()
    }

    private func follow() {
        guard !isOver, let rates else { return }
        guard let time = rates.nextTime() else {
            if let token = token.take() { loop.deregister(token) }
            return
        }
        let token = token ?? loop.registerTimer(handler: self)
        self.token = token
        loop.setDeadline(time, for: token)
    }
}

/// The lines in which attempts wait for the rates of requests. A pure state machine.
///
/// Each rate has two buckets. A token of one is spent when a request is sent; of the other when an attempt is told to go,
/// and returned if the attempt leaves or has to wait again. An attempt is told to go when both have one.
struct RateLines: ~Copyable, Sendable {
    /// How late an attempt may be told to go, or send its request after that, and still count from its time: as late as
    /// timers are, and some more.
    static let lateness = Duration.milliseconds(8)

    /// An attempt. Guarded like the lines that it stands in.
    final class Ticket: IndexedHeapElement, @unchecked Sendable {
        fileprivate enum State {
            /// In the line of its host.
            case waiting
            /// It has been told to go.
            case going
            /// It has spent its tokens, or has left.
            case over
        }

        fileprivate let host: HostLine
        fileprivate let number: Int64
        fileprivate var state = State.waiting
        /// From when on it has waited, or gone.
        fileprivate var since: MonotonicInstant
        /// Its place in the line of the session, once it has been told to go.
        fileprivate var turn: Int64?
        fileprivate var wake: (@Sendable () -> Void)?
        /// Used by the line of the host.
        var heapIndex = -1

        fileprivate init(_ host: HostLine, number: Int64, since: MonotonicInstant, wake: @escaping @Sendable () -> Void)
        {
            self.host = host
            self.number = number
            self.since = since
            self.wake = wake
        }

        var heapKey: Int64 { number }
    }

    /// The line of one host, and its place among the hosts.
    fileprivate final class HostLine: IndexedHeapElement, HostRecord, @unchecked Sendable {
        var rate: RequestRate?
        var waiting = IndexedHeap<Ticket>()
        /// The place in the line of the session, which the host keeps until its first attempt is told to go.
        var turn: Int64?
        var heapKey: Int64 = 0
        var heapIndex = -1

        init(_ limit: RateLimit?) { rate = RequestRate(limit) }

        var isNewFrom: MonotonicInstant { rate?.fullAt ?? .start }
    }

    private let perHost: RateLimit?
    private var session: RequestRate?
    private var hosts = HostTable<HostLine>()
    /// The line of the session: the hosts whose own rates have a token, by turn.
    private var ready = IndexedHeap<HostLine>()
    /// The other hosts for which attempts wait, by the times at which their rates have one.
    private var held = IndexedHeap<HostLine>()
    private var lastNumber: Int64 = 0
    private var lastTurn: Int64 = 0
    private var wakes: [@Sendable () -> Void] = []
    /// The number of attempts that wait or have been told to go.
    private(set) var count = 0

    /// Nil if neither is a limit.
    init?(session: RateLimit?, perHost: RateLimit?) {
        self.session = RequestRate(session)
        self.perHost = perHost
        if self.session == nil, RequestRate(perHost) == nil { return nil }
    }

    /// An attempt comes. It may go, or `takeWakes` has its `wake` later.
    mutating func enter(
        _ host: String, at now: MonotonicInstant, wake: @escaping @Sendable () -> Void
    ) -> (ticket: Ticket, mayGo: Bool) {
        advance(to: now)
        let host = hosts.record(of: host, at: now) { HostLine(perHost) }
        lastNumber += 1
        count += 1
        let ticket = Ticket(host, number: lastNumber, since: now, wake: wake)
        if ready.isEmpty, host.waiting.isEmpty, host.rate.nextAt <= now, session.nextAt <= now {
            lastTurn += 1
            ticket.turn = lastTurn
            letGo(ticket, at: now)
            return (ticket, true)
        }
        host.waiting.insert(ticket)
        place(host, at: now)
        return (ticket, false)
    }

    /// The request of an attempt is sent. False if the attempt has to wait for that, or may not.
    mutating func spend(_ ticket: Ticket, at now: MonotonicInstant) -> Bool {
        guard case .going = ticket.state else { return false }
        let host = ticket.host
        let hasToken = (host.rate?.spent.nextAt ?? .start) <= now && (session?.spent.nextAt ?? .start) <= now
        if hasToken {
            // A wait for a connection is not forgiven.
            let time = ticket.since < Self.earliest(now) ? now : ticket.since
            host.rate?.spent.spend(1, at: time)
            session?.spent.spend(1, at: time)
            ticket.state = .over
            count -= 1
        } else {
            returnOffer(ticket)
            ticket.state = .waiting
            ticket.since = now
            host.waiting.insert(ticket)
        }
        place(host, at: now)
        advance(to: now)
        return hasToken
    }

    /// An attempt ends, or needs its place no more.
    mutating func leave(_ ticket: Ticket, at now: MonotonicInstant) {
        switch ticket.state {
        case .over: return
        case .waiting: ticket.host.waiting.remove(ticket)
        case .going: returnOffer(ticket)
        }
        ticket.state = .over
        count -= 1
        place(ticket.host, at: now)
        advance(to: now)
    }

    /// Lets those go whose time has come.
    mutating func advance(to now: MonotonicInstant) {
        while let host = held.first, host.rate.nextAt <= now { place(host, at: now) }
        while session.nextAt <= now, let host = ready.first, let ticket = host.waiting.first {
            host.waiting.remove(ticket)
            ticket.turn = host.turn.take()
            letGo(ticket, at: now)
            if let wake = ticket.wake { wakes.append(wake) }
            place(host, at: now)
        }
    }

    /// When `advance` has something to do; nil for not before another event.
    var nextTime: MonotonicInstant? { ready.isEmpty ? held.first?.rate.nextAt : session.nextAt }

    /// What is to be called, without a lock.
    mutating func takeWakes() -> [@Sendable () -> Void] {
        if wakes.isEmpty { return [] }
        defer { wakes = [] }
        return wakes
    }

    /// What is to be released, without a lock, when the attempt waits no more.
    func takeWake(of ticket: Ticket) -> (@Sendable () -> Void)? {
        if case .over = ticket.state { ticket.wake.take() } else { nil }
    }

    private mutating func letGo(_ ticket: Ticket, at now: MonotonicInstant) {
        let due = max(ticket.since, ticket.host.rate.nextAt, session.nextAt)
        ticket.since = max(due, Self.earliest(now))
        ticket.state = .going
        ticket.host.rate?.offered.spend(1, at: ticket.since)
        session?.offered.spend(1, at: ticket.since)
    }

    private mutating func returnOffer(_ ticket: Ticket) {
        ticket.host.rate?.offered.putBack()
        session?.offered.putBack()
    }

    /// Moves a host to where its first attempt waits.
    private mutating func place(_ host: HostLine, at now: MonotonicInstant) {
        held.remove(host)
        ready.remove(host)
        guard let first = host.waiting.first else {
            host.turn = nil
            return
        }
        // An attempt that has to wait again has had its turn, which comes before all later ones.
        if let turn = first.turn { host.turn = min(turn, host.turn ?? turn) }
        guard host.rate.nextAt <= now else {
            host.heapKey = host.rate.nextAt.nanoseconds
            return held.insert(host)
        }
        if host.turn == nil { lastTurn += 1 }
        let turn = host.turn ?? lastTurn
        (host.turn, host.heapKey) = (turn, turn)
        ready.insert(host)
    }

    /// What was to happen before this was to happen now.
    private static func earliest(_ now: MonotonicInstant) -> MonotonicInstant { now.advanced(by: .zero - lateness) }
}

/// The tokens of one rate of requests.
private struct RequestRate: Sendable {
    /// Those of requests that were sent.
    var spent: TokenBucket
    /// Those of attempts that were told to go.
    var offered: TokenBucket

    /// Nil for no limit.
    init?(_ limit: RateLimit?) {
        guard let limit, let bucket = TokenBucket(perSecond: limit.requestsPerSecond, burst: Double(limit.requestBurst))
        else { return nil }
        (spent, offered) = (bucket, bucket)
    }

    /// When all tokens are there.
    var fullAt: MonotonicInstant { max(spent.fullAt, offered.fullAt) }
}

extension Optional<RequestRate> {
    /// When both buckets have a token.
    fileprivate var nextAt: MonotonicInstant { self.map { max($0.spent.nextAt, $0.offered.nextAt) } ?? .start }
}

extension MonotonicInstant {
    /// Before everything.
    fileprivate static var start: MonotonicInstant { MonotonicInstant(nanoseconds: .min) }
}
