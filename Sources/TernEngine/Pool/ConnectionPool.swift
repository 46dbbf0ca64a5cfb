// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// One route's connections on one reactor: performs the actions of `PoolState`, as far as the session's permits go.
/// Used only on its loop's thread, hence `@unchecked Sendable`.
final class ConnectionPool<Requester: ConnectionRequester>: @unchecked Sendable {
    /// The maximum number of cancelled waiters removed at once, so that a hundred thousand do not block the reactor.
    private static var passedOverAtOnce: Int { 1024 }

    let route: Route
    /// The address of the route, if its host is one already.
    private let address: TransportAddress?
    /// Called when the pool may be empty.
    private let emptied: (ConnectionPool) -> Void
    /// Called when too many connections of all routes are idle.
    private let crowded: () -> Void
    private let shared: SharedSettings
    private let permits: ConnectionPermits
    /// Those of all routes, and how many of them are this pool's.
    private let idle: IdleConnections
    @safe @exclusivity(unchecked) private var publishedIdle = 0
    // Unchecked: the state and the limit run no other code, and other references keep what they release, so accesses never
    // overlap.
    @safe @exclusivity(unchecked) private var state: PoolState<Connection, Requester>
    /// How long the server keeps idle connections, as far as it has shown that.
    @safe @exclusivity(unchecked) private(set) var idleLimit: IdleLimit
    /// All pending and open connections, so that closing the pool reaches them.
    private var attempts: [Int: Dialler] = [:]
    private var connections: [ObjectIdentifier: Connection] = [:]
    /// Those for which pending connections were begun, by their numbers.
    private var preparations: [Int: Preparation] = [:]
    /// Connections that a task has not taken, and that have not come back.
    private var declined: Set<ObjectIdentifier> = []
    private var isClosed = false
    private var isStarting = false
    private var willOpen = false
    private var awaitsPermit = false
    private let holder: PermitHolder

    init(
        _ route: Route, _ shared: SharedSettings, _ permits: ConnectionPermits, _ idle: IdleConnections,
        _ idleLimit: IdleLimit, emptied: @escaping (ConnectionPool) -> Void, crowded: @escaping () -> Void
    ) {
        self.route = route
        address = route.address
        self.emptied = emptied
        self.crowded = crowded
        self.shared = shared
        self.permits = permits
        self.idle = idle
        self.idleLimit = idleLimit
        state = PoolState(queueLimit: shared.configuration.maximumQueuedRequestsPerHost)
        holder = permits.enter(route)
    }

    deinit { permits.leave(holder) }

    func serves(_ other: Route) -> Bool { route == other }

    /// Finds `task` a connection, now or later.
    func start(_ task: Requester) {
        // A connection that turns out to be dead, or has received unexpected bytes, closes itself and leaves the pool,
        // so this loop ends.
        isStarting = true
        while let mostRecent = state.mostRecent, !isFit(mostRecent) {}
        isStarting = false
        let claim = claim(of: task)
        var prepared: PreparedExchange?
        if state.mostRecent == nil || claim == .careful {
            do throws(InvalidRequest) {
                prepared = try PreparedExchange(task.hop, shared.exchange)
            } catch {
                task.connectionFailed(DialFailure(reason: .request(.invalid(error)), phase: .request))
                return settle()
            }
        }
        if state.needsPermit(for: claim) { takePermit() }
        switch state.acquire(task, claim) {
        case .use(let connection):
            publish()
            hand(connection, to: task, nil)
        case .wait(let orders):
            wait(task)
            if orders.opens?.waiter === task { task.wait.prepared = prepared }
            // A waiter that had to give up the connection it relied on gets its whole timeout again.
            if let waiter = state.firstIdle, waiter.wait.connectDeadline.take() != nil {
                waiter.wait.since = shared.loop.now
                beginQueueing(waiter)
            }
            carryOut(orders)
            beginQueueing(task)
            settle()
        case .refuse(let limit):
            task.connectionFailed(DialFailure(reason: .connecting(.queueFull(limit: limit)), phase: .pool))
            settle()
        }
    }

    /// `task` waits no more, and is not called.
    func abandon(_ task: Requester) {
        if let connection = leaveQueue(task) { task.lost(connection) }
        stopWaiting(task)
        settle()
    }

    /// Closes the idle connections whose servers were evaluated by outdated policies.
    func retireOutdated() {
        for connection in connections.values where isOutdated(connection) { connection.retire() }
    }

    /// Closes the idle connections, and marks those in use as not reusable.
    func reset() {
        for connection in connections.values { connection.retireSoon() }
    }

    /// Whether an idle connection can be used now.
    private func isFit(_ connection: Connection) -> Bool {
        if isOutdated(connection) { connection.retire() }
        return connection.isFit
    }

    /// Whether its server was evaluated by outdated policies.
    private func isOutdated(_ connection: Connection) -> Bool {
        connection.trustGeneration.map { $0 != shared.trust.generation } ?? false
    }

    private func wait(_ task: Requester) {
        let now = shared.loop.now
        task.wait.since = now
        guard let deadline = task.deadlines.waiting(since: now) else { return }
        let timer = shared.loop.registerTimer(handler: WaitTimer(task, in: self, deadline.limit))
        shared.loop.setDeadline(deadline.instant, for: timer)
        task.wait.timer = timer
    }

    /// The one way out of the queue.
    private func stopWaiting(_ task: Requester) {
        endQueueing(task)
        if let timer = task.wait.timer { shared.loop.deregister(timer) }
        task.wait = Wait()
    }

    /// Reports to the task how long it has waited without a connection that is being opened for it: whole ticks, so that
    /// one that gets a connection at once has not waited.
    private func endQueueing(_ task: Requester) {
        let now = shared.loop.now
        guard let since = task.wait.since.take(), since < now || task.wait.isTold else { return }
        task.wait.isTold = false
        task.waited(since: since, until: now)
    }

    /// Tells the task that it waits, unless a connection is being opened for it, or it has one by now.
    private func beginQueueing(_ task: Requester) {
        guard let since = task.wait.since, !task.wait.isTold else { return }
        task.wait.isTold = true
        task.waits(since: since)
    }

    /// Returns what was measured of a connection that was being opened for the task, and is not needed any more.
    private func leaveQueue(_ task: Requester) -> FailedConnectionMetrics? {
        switch state.cancel(task) {
        case .absent: return nil
        case .removed(let orders):
            carryOut(orders)
            return nil
        case .superfluous(let number):
            let dialler = attempts.removeValue(forKey: number)
            let connection = dialler?.failedConnection
            dialler?.cancel()
            preparations.removeValue(forKey: number)?.ended(isOpen: false)
            return connection
        }
    }

    /// Removes waiters that another thread has cancelled: nothing is sent or opened for them. Their cancel commands
    /// follow in the inbox, and end them.
    private func passOverCancelled() {
        var left = Self.passedOverAtOnce
        while left > 0, let task = nextCancelled {
            if let connection = leaveQueue(task) { task.lost(connection) }
            left -= 1
        }
    }

    private var nextCancelled: Requester? {
        if let task = state.first, task.isCancelled { return task }
        if let task = state.firstNew, task.isCancelled { return task }
        if let task = state.firstIdle, task.isCancelled { return task }
        return nil
    }

    /// Keeps a connection that no waiter takes.
    private func rest(_ connection: Connection) {
        connection.rest()
        publish()
        if permits.areScarce(for: holder) { giveUpIdle() }
        while permits.hasTooManyIdle(holder), state.mostRecent != nil { closeIdle() }
        if idle.isTooMany { crowded() }
    }

    /// When the connection that has been idle longest became idle; nil if none is idle.
    var idleSince: MonotonicInstant? { state.oldestIdle?.idleSince }

    private func serve(_ task: Requester, _ connection: Connection) {
        let prepared = task.wait.prepared.take()
        stopWaiting(task)
        publish()
        hand(connection, to: task, prepared)
    }

    /// A connection that the task does not take comes back in a later tick: thousands in succession may not take it.
    private func hand(_ connection: Connection, to task: Requester, _ prepared: PreparedExchange?) {
        if task.begin(on: connection, prepared) { return }
        declined.insert(ObjectIdentifier(connection))
        shared.loop.execute {
            guard self.declined.remove(ObjectIdentifier(connection)) != nil else { return }
            // Nothing else may use the connection of a server that was accepted for one task.
            if !connection.servesOneExchange { return self.connectionFree(connection) }
            connection.close()
            self.connectionClosed(connection, wasResting: false)
        }
    }

    private func carryOut(_ orders: PoolState<Connection, Requester>.Orders) {
        if let idle = orders.closes {
            connections[ObjectIdentifier(idle)] = nil
            idle.close()
        }
        if let assignee = orders.inherits {
            attempts[assignee.number]?.setDeadline(connectDeadline(of: assignee.waiter))
            attempts[assignee.number]?.inquiry?.respondentChanged()
        }
        if let new = orders.opens { open(new.number, for: new.waiter) }
    }

    private func open(_ number: Int, for task: Requester) { open(number, deadline: connectDeadline(of: task)) }

    private func open(_ number: Int, deadline: MonotonicInstant) {
        let attempt = Dialler(route, address: address, shared, owner: dialOwner, number: number)
        attempts[number] = attempt
        attempt.start(deadline: deadline)
    }

    /// The deadline of a connection: counts from the moment when `task` began to rely on one that is being opened.
    private func connectDeadline(of task: Requester) -> MonotonicInstant {
        if let deadline = task.wait.connectDeadline { return deadline }
        endQueueing(task)
        let deadline = task.deadlines.connecting(since: shared.loop.exactNow)
        task.wait.connectDeadline = deadline
        return deadline
    }

    /// Opens missing connections for the waiters after the commands of this tick: a waiter that they cancel needs none.
    private func openSoon() {
        if willOpen || isClosed || state.firstIdle == nil { return }
        willOpen = shared.loop.execute { self.openMissing() }
    }

    private func openMissing() {
        willOpen = false
        if isClosed { return }
        passOverCancelled()
        repeat {
            while let next = state.nextToOpen() { open(next.number, for: next.waiter) }
        } while state.needsPermit && takePermit()
        settle()
    }

    /// Whether the pool holds no connection and no waiter, and expects none.
    var isEmpty: Bool { state.isEmpty && attempts.isEmpty && !isStarting }

    /// After a change: returns the permits that nothing needs, and reports a pool that may be empty.
    private func settle() {
        while state.removePermit() { permits.release(holder) }
        if awaitsPermit, !state.needsPermit, permits.withdraw(holder) { awaitsPermit = false }
        publish()
        if isEmpty { emptied(self) }
    }

    private func publish() {
        let counts = state.counts
        holder.counts.publish(leased: counts.leased, opening: counts.opening, waiting: state.waitingCount)
        holder.counts.publish(idle: counts.idle)
        let change = counts.idle &- publishedIdle
        if change == 0 { return }
        idle.add(change)
        publishedIdle = counts.idle
    }
}

// Requests that must not meet the close of an idle connection
extension ConnectionPool {
    private func claim(of task: Requester) -> ConnectionClaim {
        if task.isRepeating { return .repeated }
        guard idleLimit.isLearnt, let mostRecent = state.mostRecent, isRisky(mostRecent, for: task) else { return .new }
        // The loop would have heard of its close.
        if let oldest = state.oldestIdle, oldest.wasUsed {
            idleLimit.survived(oldest.idleTime(at: shared.loop.now), at: shared.loop.now)
        }
        return isRisky(mostRecent, for: task) ? .careful : .new
    }

    /// The exchange of the connection is over: it has outlived the time for which it was idle before.
    private func releasedCarefully(_ connection: Connection) -> PoolState<Connection, Requester>.Placement {
        if connection.isReused { idleLimit.survived(connection.idleTimeBeforeUse, at: shared.loop.now) }
        if let next = state.firstNew, isRisky(connection, for: next) { return state.passedOver(connection) }
        return state.released(connection)
    }

    /// Whether the server may be about to close the connection, and the request must not be lost with it.
    private func isRisky(_ connection: Connection, for task: Requester) -> Bool {
        guard connection.wasUsed, !task.isRepeatable else { return false }
        // Not the time of the tick, which may have been computing for long.
        let now = shared.loop.exactNow
        return !idleLimit.allows(connection.idleTime(at: now), roundTrip: connection.metrics.connectTime, at: now)
    }
}

// Permits
extension ConnectionPool: PermitUser {
    /// False if the pool has to wait for one.
    @discardableResult
    private func takePermit() -> Bool {
        if awaitsPermit { return false }
        awaitsPermit = !permits.take(holder, for: self)
        if !awaitsPermit { state.addPermit() }
        return !awaitsPermit
    }

    func permitGranted() {
        shared.loop.execute {
            self.awaitsPermit = false
            self.state.addPermit()
            self.openMissing()
        }
    }

    func reclaimIdle() {
        shared.loop.execute {
            self.permits.reclaimed(self.holder)
            self.giveUpIdle()
        }
    }

    /// Gives up the connections that have been idle longest, as long as others want them.
    private func giveUpIdle() {
        while state.mostRecent != nil, permits.takesBack(holder, .idle) {
            // That permit has been returned already.
            state.gaveUpIdle()
            closeIdle()
        }
    }

    /// Closes the connection that has been idle longest.
    func closeIdle() {
        guard let connection = state.popIdle() else { return }
        connections[ObjectIdentifier(connection)] = nil
        connection.close()
        settle()
    }

    /// A connection is gone, or could not be opened: returns its permit if another pool has to have it.
    private func giveUpLost() {
        guard state.hasUnusedPermit, permits.areScarce(for: holder), permits.takesBack(holder, .lost) else { return }
        state.gaveUpUnused()
    }

    /// Closes a connection that has finished its exchange, and that a waiter needs, if another pool has to have its permit.
    private func givesUp(_ connection: Connection) -> Bool {
        guard permits.areScarce(for: holder), permits.takesBack(holder, .wanted) else { return false }
        connections[ObjectIdentifier(connection)] = nil
        state.gaveUpLeased()
        connection.close()
        // The waiters need another one.
        openMissing()
        return true
    }
}

// Connections for later requests
extension ConnectionPool {
    /// Opens connections until this many are idle or being opened, as far as there are permits.
    func prepare(_ preparation: Preparation, deadline: MonotonicInstant) {
        let (idle, _, opening) = state.counts
        preparation.began(min(preparation.count, idle + opening), areOpen: true)
        for _ in 0..<max(0, preparation.count - idle - opening) {
            if permits.takeNow(holder, for: self) { state.addPermit() }
            guard let number = state.openSpare() else { break }
            preparations[number] = preparation
            preparation.began(1, areOpen: false)
            open(number, deadline: deadline)
        }
        settle()
        preparation.allBegan()
    }
}

/// Connections that are opened for later requests. On the loop's thread.
final class Preparation {
    /// The number of connections that are to be there.
    let count: Int
    private var openCount = 0
    private var left = 1
    private var failure: DialFailure?
    private let completion: (DialFailure?, _ openCount: Int) -> Void

    /// - Parameter completion: called once, when no connection is being opened for it, with the first failure and the
    ///   number of connections that are there.
    init(_ count: Int, completion: @escaping (DialFailure?, _ openCount: Int) -> Void) {
        self.count = count
        self.completion = completion
    }

    fileprivate func began(_ count: Int, areOpen: Bool) {
        if areOpen { openCount += count } else { left += count }
    }

    fileprivate func allBegan() { finishOne() }

    fileprivate func ended(isOpen: Bool) {
        if isOpen { openCount += 1 }
        finishOne()
    }

    fileprivate func failed(_ failure: DialFailure) {
        self.failure = self.failure ?? failure
        finishOne()
    }

    private func finishOne() {
        left -= 1
        if left == 0 { completion(failure, openCount) }
    }
}

// The end
extension ConnectionPool {
    /// Opens, serves and keeps nothing from now on. `closeNext` ends the existing connections and waiters.
    func close() {
        isClosed = true
        state.drainIdle()
        permits.leave(holder)
    }

    /// Ends one waiter or one connection. False if there is none left.
    func closeNext() -> Bool {
        if let (number, attempt) = attempts.popFirst() {
            attempt.cancel()
            preparations.removeValue(forKey: number)?.failed(
                DialFailure(reason: .sessionInvalidated, phase: .pool))
        } else if let (_, connection) = connections.popFirst() {
            connection.end(.sessionInvalidated)
        } else if let task = state.drainNext() {
            stopWaiting(task)
            task.connectionFailed(DialFailure(reason: .sessionInvalidated, phase: .pool))
        } else {
            return false
        }
        return true
    }
}

// Reports of diallers and connections
extension ConnectionPool {
    /// The pool as its diallers and connections use it.
    private var dialOwner: AnyDialOwner {
        AnyDialOwner(
            AnyDialOwner.Calls(
                isAwaited: { self.isAwaited },
                answered: { self.permits.answered(self.holder, isOverloaded: $0) }, free: { self.connectionFree($0) },
                closed: { self.connectionClosed($0, wasResting: $1) }, opened: { self.dialler($0, opened: $1) },
                failed: { self.dialler($0, failed: $1) }, respondent: { self.respondent(of: $0) }))
    }

    private func dialler(_ dialler: Dialler, opened connection: Connection) {
        if connection.servesOneExchange { return serveOne(dialler, connection) }
        attempts[dialler.number] = nil
        if isClosed { return connection.close() }
        connections[ObjectIdentifier(connection)] = connection
        passOverCancelled()
        let (task, orders) = state.opened(dialler.number, connection)
        carryOut(orders)
        preparations.removeValue(forKey: dialler.number)?.ended(isOpen: true)
        if let task { serve(task, connection) } else { rest(connection) }
    }

    /// The delegate of a task accepted the server despite the policies: the connection is for that task, or for none.
    private func serveOne(_ dialler: Dialler, _ connection: Connection) {
        passOverCancelled()
        guard !isClosed, let task = state.reliant(on: dialler.number), dialler.inquiry?.isOver(for: task) == true
        else {
            connection.close()
            return self.dialler(dialler, failed: DialFailure(reason: .cancelled, phase: .tls))
        }
        attempts[dialler.number] = nil
        connections[ObjectIdentifier(connection)] = connection
        carryOut(state.openedForReliant(dialler.number))
        serve(task, connection)
    }

    /// Whether the task that relies on the connection fails, even if the connection was begun for another: its timeout
    /// passed, or its own delegate has answered.
    private func isFinal(_ dialler: Dialler) -> Bool {
        guard let task = state.reliant(on: dialler.number) else { return false }
        if dialler.inquiry?.isOver(for: task) == true { return true }
        return task.wait.connectDeadline.map { $0 <= shared.loop.now } ?? false
    }

    /// The task that relies on the connection.
    private func respondent(of dialler: Dialler) -> (any DialRespondent)? { state.reliant(on: dialler.number) }

    private func dialler(_ dialler: Dialler, failed failure: DialFailure) {
        // A connection that was given up in the meantime does not count.
        guard attempts.removeValue(forKey: dialler.number) != nil, !isClosed else { return }
        let (task, orders) = state.failedToOpen(dialler.number, isFinal: isFinal(dialler))
        carryOut(orders)
        preparations.removeValue(forKey: dialler.number)?.failed(failure)
        if let task {
            stopWaiting(task)
            if let connection = failure.connection { task.lost(connection) }
        }
        giveUpLost()
        openMissing()
        if let task { task.connectionFailed(failure) }
        settle()
    }

    /// Whether a task waits for a connection.
    private var isAwaited: Bool { state.isAwaited }

    private func connectionFree(_ connection: Connection) {
        if isClosed { return connection.close() }
        if isOutdated(connection) {
            connection.close()
            return connectionClosed(connection, wasResting: false)
        }
        passOverCancelled()
        if state.isAwaited, givesUp(connection) { return }
        switch idleLimit.isLearnt ? releasedCarefully(connection) : state.released(connection) {
        case .serve(let task, let orders):
            carryOut(orders)
            serve(task, connection)
        case .keep: rest(connection)
        case .replace(let orders):
            connections[ObjectIdentifier(connection)] = nil
            connection.close()
            carryOut(orders)
        }
    }

    private func connectionClosed(_ connection: Connection, wasResting: Bool) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        if let age = connection.closedAfter { idleLimit.closed(after: age, at: shared.loop.now) }
        // One that was declined has no exchange, but is no idle one of the pool.
        let wasDeclined = declined.remove(ObjectIdentifier(connection)) != nil
        if wasResting, !wasDeclined { state.lostIdle(connection) } else { state.lostLeased() }
        giveUpLost()
        openSoon()
        settle()
    }
}

/// Ends the wait of a task whose timeout passes before a connection has taken it on.
private final class WaitTimer<Requester: ConnectionRequester>: ReadinessHandler {
    let task: Requester
    private let pool: ConnectionPool<Requester>
    private let limit: SessionError.TimeLimit

    init(_ task: Requester, in pool: ConnectionPool<Requester>, _ limit: SessionError.TimeLimit) {
        self.task = task
        self.pool = pool
        self.limit = limit
    }

    func ready(_ readiness: Readiness) {
        pool.abandon(task)
        task.connectionFailed(DialFailure(reason: .timedOut(limit), phase: .pool))
    }
}

/// The owner of a pool's diallers and connections, without the type of the pool's requesters: if the generic pool
/// itself conformed to a protocol, its witnesses would be looked up in every call.
private final class AnyDialOwner: DialOwner {
    struct Calls {
        let isAwaited: () -> Bool
        let answered: (_ isOverloaded: Bool) -> Void
        let free: (Connection) -> Void
        let closed: (Connection, _ wasResting: Bool) -> Void
        let opened: (Dialler, Connection) -> Void
        let failed: (Dialler, DialFailure) -> Void
        let respondent: (Dialler) -> (any DialRespondent)?
    }

    private let calls: Calls

    init(_ calls: Calls) { self.calls = calls }

    var isAwaited: Bool { calls.isAwaited() }

    func answered(isOverloaded: Bool) { calls.answered(isOverloaded) }

    func connectionFree(_ connection: Connection) { calls.free(connection) }

    func connectionClosed(_ connection: Connection, wasResting: Bool) { calls.closed(connection, wasResting) }

    func dialler(_ dialler: Dialler, opened connection: Connection) { calls.opened(dialler, connection) }

    func dialler(_ dialler: Dialler, failed failure: DialFailure) { calls.failed(dialler, failure) }

    func respondent(of dialler: Dialler) -> (any DialRespondent)? { calls.respondent(dialler) }
}

// In its pool's list of idle connections.
extension Connection: IntrusiveQueueElement {}
