// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernLock

/// How many connections the pools of one session may have, per route and in total, over all reactors. A pool holds a
/// permit for each connection that it has or opens.
///
/// A permit that its pool does not need goes to the pools that wait for one: first to those that have none, then to the
/// others, each in the order in which they came. A pool whose requests wait, too, gives a permit up after an exchange if
/// another pool waits that has none, or two less; but its only one, with an open connection, not before that has served
/// ``PermitHolder/quantum`` of them, because the other pool has to open a connection, and this one as well when its turn
/// comes again. So a busy host delays a request to another host by as many services at most, and the pools of one route
/// come to equal shares. An idle connection is closed for any pool that waits because of the limit in total; between the
/// reactors of one route, where an idle connection is soon needed again, only by the same rule.
///
/// The permits also say which idle connections are too many.
///
/// Any thread. The usual request asks for no permit, and reads two flags.
final class ConnectionPermits: Sendable {
    private let ledger: Lock<Ledger>
    /// Whether a pool waits because of the limit in total.
    private let scarcity = Flag()
    /// The maximum number of idle connections of a route; nil for no limit.
    private let idleLimit: Int?

    /// - Parameters:
    ///   - total: nil for no limit.
    ///   - adaptsFrom: the least that the limit per route becomes where servers are overloaded; nil for a fixed limit.
    init(perRoute: Int, adaptsFrom least: Int? = nil, total: Int?, idlePerRoute: Int? = nil) {
        idleLimit = idlePerRoute.map { max(0, $0) }
        let most = max(1, perRoute)
        ledger = Lock(Ledger(perRoute: min(most, max(1, least ?? most))...most, total: total, scarcity))
    }

    /// A new holder without permits, for a pool of `route`.
    func enter(_ route: Route) -> PermitHolder {
        ledger.withLock { $0.enter(route) }
    }

    /// The pool is gone: returns its permits.
    func leave(_ holder: PermitHolder) { change { $0.leave(holder) } }

    /// Takes a permit for `user`. If there is none, false: the holder waits, and the user is called when it has one. The
    /// user is retained until the holder has no permit, and waits for none.
    func take(_ holder: PermitHolder, for user: any PermitUser) -> Bool { change { $0.take(holder, for: user) } }

    /// Takes a permit for `user` only if there is one at once.
    func takeNow(_ holder: PermitHolder, for user: any PermitUser) -> Bool {
        change { $0.takeNow(holder, for: user) }
    }

    /// The holder needs none any more. False if it does not wait: it has been given one.
    func withdraw(_ holder: PermitHolder) -> Bool { change { $0.withdraw(holder) } }

    /// Returns a permit.
    func release(_ holder: PermitHolder) { change { $0.release(holder) } }

    /// Whether other pools may want what this one has: the usual answer to `takesBack`, without the lock.
    func areScarce(for holder: PermitHolder) -> Bool { scarcity.isSet || holder.share.scarcity.isSet }

    /// Whether a permit has to be given up for another pool. It is returned then.
    func takesBack(_ holder: PermitHolder, _ use: PermitUse) -> Bool {
        change { ledger in
            guard ledger.yields(holder, use) else { return false }
            ledger.release(holder)
            return true
        }
    }

    /// A server of the holder's route has answered, or has not in time: for limits that adapt.
    func answered(_ holder: PermitHolder, isOverloaded: Bool) {
        change { $0.answered(holder, isOverloaded: isOverloaded) }
    }

    /// Whether the route has more idle connections than it may have, of which this holder has published one.
    func hasTooManyIdle(_ holder: PermitHolder) -> Bool {
        guard let idleLimit else { return false }
        return ledger.withLock { _ in holder.share.holders.reduce(0) { $0 + $1.counts.idle } > idleLimit }
    }

    /// The holder has looked for an idle connection to give up, as it was asked to.
    func reclaimed(_ holder: PermitHolder) { ledger.withLock { _ in holder.asked -= 1 } }

    /// All holders, which have the counts of their pools.
    var holders: [PermitHolder] { ledger.withLock { $0.holders } }

    private func change<Result: Sendable>(_ body: (inout Ledger) -> Result) -> Result {
        let (result, calls) = ledger.withLock { ledger in
            let result = body(&ledger)
            return (result, ledger.takeCalls())
        }
        for call in calls { call() }
        return result
    }
}

/// What a pool has of the permit that another pool may want.
enum PermitUse {
    /// An idle connection, for which no request waits.
    case idle
    /// A connection that has finished an exchange, and for which a request waits.
    case wanted
    /// No connection, but a request that waits for one: the connection is gone, or could not be opened.
    case lost
}

/// Holds permits: a pool. Both methods are called on any thread, return at once, and act in a later tick.
protocol PermitUser: AnyObject, Sendable {
    /// It has a permit that it waited for.
    func permitGranted()

    /// It reports `reclaimed`, and gives up an idle connection if there is one and it is taken back.
    func reclaimIdle()
}

/// A pool as its session's permits see it: what it holds and waits for, which the ledger guards, and the counts that it
/// publishes.
final class PermitHolder: IntrusiveQueueElement, @unchecked Sendable {
    fileprivate enum Waiting {
        case no
        /// For the limit per route.
        case forShare
        /// For the limit in total.
        case forTotal
    }

    /// How many exchanges the only connection of a pool carries before another pool gets its permit.
    static let quantum = 4

    let route: Route
    /// What the pool has published.
    let counts = PoolCounts()
    fileprivate let share: RouteShare
    // These belong to the ledger.
    fileprivate var user: (any PermitUser)?
    fileprivate var held = 0
    fileprivate var waiting = Waiting.no
    /// How many exchanges have ended while others wanted the permits, since a permit was given or returned.
    fileprivate var served = 0
    /// How many idle connections it has been asked for.
    fileprivate var asked = 0
    /// Used by the ledger: the position in the list of those that wait.
    var queueIndex: Int32 = -1

    fileprivate init(_ route: Route, _ share: RouteShare) {
        self.route = route
        self.share = share
    }

    /// Whether it is worth a connection to give a permit to `other`.
    fileprivate func shouldYield(to other: PermitHolder) -> Bool {
        other !== self && (other.held == 0 ? held > 0 : held >= other.held + 2)
    }

    fileprivate var spareIdle: Int { counts.idle - asked }
}

/// What a pool has, for any thread to read.
final class PoolCounts: Sendable {
    private let idleCount = Atomic(0)
    private let leasedCount = Atomic(0)
    private let openingCount = Atomic(0)
    private let waitingCount = Atomic(0)

    /// Idle connections.
    var idle: Int { idleCount.load(ordering: .sequentiallyConsistent) }
    /// Connections in use.
    var leased: Int { leasedCount.load(ordering: .relaxed) }
    /// Connections that are being opened.
    var opening: Int { openingCount.load(ordering: .relaxed) }
    /// Requests that wait for a connection.
    var waiting: Int { waitingCount.load(ordering: .relaxed) }

    func publish(leased: Int, opening: Int, waiting: Int) {
        leasedCount.store(leased, ordering: .relaxed)
        openingCount.store(opening, ordering: .relaxed)
        waitingCount.store(waiting, ordering: .relaxed)
    }

    /// Called before the pool reads whether permits are scarce: either the pool sees that they are, or the thread that
    /// makes them so sees this count.
    func publish(idle: Int) { idleCount.store(idle, ordering: .sequentiallyConsistent) }
}

/// A flag that its owner sets under a lock, and others read without it. A thread that writes something else before it
/// reads the flag either sees the flag, or the thread that sets the flag sees what was written.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool {
        get { value.load(ordering: .sequentiallyConsistent) }
        set {
            if newValue != value.load(ordering: .relaxed) { value.store(newValue, ordering: .sequentiallyConsistent) }
        }
    }
}

/// The permits of one route. Guarded by the ledger, but for the flag.
private final class RouteShare: @unchecked Sendable {
    private let bounds: ClosedRange<Int>
    /// How many permits there are, as a fraction while they grow.
    private var window: Double
    /// How many further answers belong to requests that were sent before the window was halved.
    private var answersBeforeHalving = 0
    private var held = 0
    private(set) var holders: [PermitHolder] = []
    /// Whether one of the pools should give up a permit. Any thread.
    let scarcity = Flag()

    init(_ bounds: ClosedRange<Int>) {
        self.bounds = bounds
        window = Double(bounds.upperBound)
    }

    /// The largest integers are rounded up to a `Double` that is no integer of this size.
    private var limit: Int { window < Double(bounds.upperBound) ? Int(window) : bounds.upperBound }

    var isFull: Bool { held >= limit }

    var isExceeded: Bool { held > limit }

    func newHolder(for route: Route) -> PermitHolder {
        let holder = PermitHolder(route, self)
        holders.append(holder)
        return holder
    }

    func remove(_ holder: PermitHolder) {
        holders.removeAll { $0 === holder }
        noteScarcity()
    }

    func count(_ change: Int) {
        held += change
        noteScarcity()
    }

    /// Additive increase, multiplicative decrease: one more permit after as many good answers as there are permits, half
    /// of them after a bad one. The requests that are under way together halve them once.
    func adapt(isOverloaded: Bool) {
        if isOverloaded, answersBeforeHalving == 0 {
            answersBeforeHalving = max(0, held - 1)
            window = max(Double(bounds.lowerBound), window / 2)
            return
        }
        answersBeforeHalving = max(0, answersBeforeHalving - 1)
        // More is of use only if all are used.
        if !isOverloaded, isFull { window = min(Double(bounds.upperBound), window + 1 / window) }
    }

    /// The one with the fewest permits of those that wait for this share.
    var neediest: PermitHolder? { holders.filter { $0.waiting == .forShare }.min { $0.held < $1.held } }

    func mustYield(_ holder: PermitHolder) -> Bool {
        isExceeded || holders.contains { $0.waiting == .forShare && holder.shouldYield(to: $0) }
    }

    func noteScarcity() { scarcity.isSet = isExceeded || holders.contains(where: mustYield) }
}

/// The permits. A pure state machine, but for the flags that others read.
private struct Ledger: ~Copyable {
    private let perRoute: ClosedRange<Int>
    private let total: Int
    private var held = 0
    private var shares: [Route: RouteShare] = [:]
    /// Those with a permit, if there is a limit in total.
    private var holding: [ObjectIdentifier: PermitHolder] = [:]
    /// Those that wait for the limit in total: without any permit, and with some.
    private var starving = IntrusiveQueue<PermitHolder>()
    private var hungry = IntrusiveQueue<PermitHolder>()
    /// Whether a holder waits because of the limit in total.
    private let scarcity: Flag
    /// To be called without the lock.
    private var calls: [@Sendable () -> Void] = []

    init(perRoute: ClosedRange<Int>, total: Int?, _ scarcity: Flag) {
        self.scarcity = scarcity
        self.perRoute = perRoute
        self.total = total.map { max(1, $0) } ?? .max
    }

    var holders: [PermitHolder] { shares.values.flatMap(\.holders) }

    mutating func takeCalls() -> [@Sendable () -> Void] {
        defer { calls = [] }
        return calls
    }

    mutating func enter(_ route: Route) -> PermitHolder {
        let share = shares[route] ?? RouteShare(perRoute)
        shares[route] = share
        return share.newHolder(for: route)
    }

    mutating func takeNow(_ holder: PermitHolder, for user: any PermitUser) -> Bool {
        guard holder.waiting == .no, !holder.share.isFull, held < total else { return false }
        holder.user = user
        give(holder)
        return true
    }

    mutating func take(_ holder: PermitHolder, for user: any PermitUser) -> Bool {
        guard holder.waiting == .no else { return false }
        if takeNow(holder, for: user) { return true }
        holder.user = user
        if holder.share.isFull { awaitShare(holder) } else { awaitTotal(holder) }
        return false
    }

    mutating func withdraw(_ holder: PermitHolder) -> Bool {
        guard holder.waiting != .no else { return false }
        stopWaiting(holder)
        holder.share.noteScarcity()
        forgetUser(of: holder)
        return true
    }

    mutating func release(_ holder: PermitHolder) {
        guard holder.held > 0 else { return }
        take(from: holder)
        while held < total, let next = starving.first { grant(next) }
        grant(in: holder.share)
        while held < total, let next = hungry.first { grant(next) }
        holder.share.noteScarcity()
        forgetUser(of: holder)
    }

    mutating func answered(_ holder: PermitHolder, isOverloaded: Bool) {
        let share = holder.share
        share.adapt(isOverloaded: isOverloaded)
        if share.isExceeded { for other in share.holders where other.spareIdle > 0 { ask(other) } }
        grant(in: share)
        share.noteScarcity()
    }

    mutating func leave(_ holder: PermitHolder) {
        stopWaiting(holder)
        while holder.held > 0 { release(holder) }
        forgetUser(of: holder)
        holder.share.remove(holder)
        if holder.share.holders.isEmpty, shares[holder.route] === holder.share { shares[holder.route] = nil }
    }

    mutating func yields(_ holder: PermitHolder, _ use: PermitUse) -> Bool {
        switch use {
        case .idle: if scarcity.isSet { return true }
        case .wanted:
            holder.served += 1
            if holder.held == 1, holder.served < PermitHolder.quantum { return holder.share.isExceeded }
        case .lost: break
        }
        if holder.share.mustYield(holder) { return true }
        if let next = starving.first, holder.shouldYield(to: next) { return true }
        guard let next = hungry.first else { return false }
        if holder.shouldYield(to: next) { return true }
        // The others are compared with the next connection.
        hungry.remove(next)
        hungry.append(next)
        return false
    }

    private func forgetUser(of holder: PermitHolder) {
        if holder.held == 0, holder.waiting == .no { holder.user = nil }
    }

    private mutating func ask(_ holder: PermitHolder?) {
        guard let holder else { return }
        holder.asked += 1
        if let user = holder.user { calls.append { user.reclaimIdle() } }
    }

    private mutating func give(_ holder: PermitHolder) {
        if holder.held == 0, total < .max { holding[ObjectIdentifier(holder)] = holder }
        holder.held += 1
        holder.served = 0
        held += 1
        holder.share.count(1)
    }

    private mutating func take(from holder: PermitHolder) {
        holder.held -= 1
        holder.served = 0
        held -= 1
        holder.share.count(-1)
        guard holder.held == 0 else { return }
        holding[ObjectIdentifier(holder)] = nil
        if holder.waiting == .forTotal { enqueue(holder) }
    }

    /// Gives a permit to a holder that waits, unless its share is full.
    private mutating func grant(_ holder: PermitHolder) {
        stopWaiting(holder)
        if holder.share.isFull { return awaitShare(holder) }
        give(holder)
        if let user = holder.user { calls.append { user.permitGranted() } }
    }

    /// Gives the permits of this share to the holders that wait for them, those with the fewest first.
    private mutating func grant(in share: RouteShare) {
        while !share.isFull, let next = share.neediest {
            if held < total { grant(next) } else { awaitTotal(next) }
        }
    }

    private mutating func awaitShare(_ holder: PermitHolder) {
        holder.waiting = .forShare
        holder.share.noteScarcity()
        ask(holder.share.holders.first { $0.shouldYield(to: holder) && $0.spareIdle > 0 })
    }

    private mutating func awaitTotal(_ holder: PermitHolder) {
        enqueue(holder)
        ask(holding.values.first { $0 !== holder && $0.spareIdle > 0 })
    }

    private mutating func enqueue(_ holder: PermitHolder) {
        stopWaiting(holder)
        holder.waiting = .forTotal
        if holder.held == 0 { starving.append(holder) } else { hungry.append(holder) }
        scarcity.isSet = true
    }

    private mutating func stopWaiting(_ holder: PermitHolder) {
        if holder.waiting == .forTotal {
            starving.remove(holder)
            hungry.remove(holder)
            scarcity.isSet = !starving.isEmpty || !hungry.isEmpty
        }
        holder.waiting = .no
    }
}
