// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// One origin's connections on one reactor: asks `PoolState` what to do, and does it. Touched by its loop's thread only,
/// which is what `@unchecked Sendable` rests on.
final class ConnectionPool: @unchecked Sendable {
    /// Waiters passed over in one go, so that a hundred thousand who have given up do not stop the reactor.
    private static let passedOverAtOnce = 1024

    let origin: Origin
    /// Where the origin is, if its host is an address already.
    let address: SocketAddress?
    private let shard: Shard
    private var state: PoolState<Connection, SessionTask>
    /// Everything that is on its way or open, so that closing the pool reaches it.
    private var attempts: [Int: Dialler] = [:]
    private var connections: [ObjectIdentifier: Connection] = [:]
    private var isClosed = false
    private var isStarting = false
    private var willOpen = false

    init(origin: Origin, limit: Int, shard: Shard) {
        self.origin = origin
        address = SocketAddress(literal: origin.host, port: origin.port)
        self.shard = shard
        state = PoolState(
            connectionLimit: limit, queueLimit: shard.configuration.maximumQueuedRequestsPerHost)
    }

    /// Finds `task` a connection, now or later.
    func start(_ task: SessionTask) {
        // A connection found dead or talking out of turn closes itself and leaves the pool, so this ends.
        isStarting = true
        while let warmest = state.warmest, !warmest.isFit {}
        isStarting = false
        var prepared: PreparedExchange?
        if state.warmest == nil {
            do throws(InvalidRequest) {
                if state.wouldOpen {
                    prepared = try PreparedExchange(task.originalRequest, shard.configuration)
                } else {
                    try task.originalRequest.check(shard.configuration)
                }
            } catch {
                shard.reject(task, error)
                return tellIfEmpty()
            }
        }
        switch state.acquire(task, isAgain: task.run.isRetried) {
        case .use(let connection):
            connection.start(task)
        case .wait(let orders):
            wait(task)
            if orders.opens?.waiter === task { task.prepared = prepared.take() }
            // Who had to give up what he relied on will have his time again.
            state.firstIdle?.run.connectDeadline = nil
            carryOut(orders)
        case .refuse(let limit):
            task.completeLater(.queueFull(limit: limit), phase: .pool, on: shard.loop)
            tellIfEmpty()
        }
    }

    /// Ends a waiting task with `error`.
    func abandon(_ task: SessionTask, _ error: EngineError) {
        leaveLine(task)
        stopWaiting(task)
        task.complete(error)
        tellIfEmpty()
    }

    /// Closes the idle connections whose servers were judged by policies that count no more.
    func retireOutdated() {
        for connection in connections.values { connection.retireIfOutdated() }
    }

    private func wait(_ task: SessionTask) {
        task.run.place = .waiting(self)
        guard let deadline = task.totalDeadline else { return }
        let timer = shard.loop.registerTimer(handler: WaitTimer(task: task, pool: self))
        shard.loop.setDeadline(deadline, for: timer)
        task.run.waitTimer = timer
    }

    private func stopWaiting(_ task: SessionTask) {
        task.run.place = .nowhere
        task.run.connectDeadline = nil
        if let timer = task.run.waitTimer { shard.loop.deregister(timer) }
        task.run.waitTimer = nil
    }

    private func leaveLine(_ task: SessionTask) {
        switch state.cancel(task) {
        case .absent: break
        case .removed(let orders): carryOut(orders)
        case .superfluous(let number): attempts.removeValue(forKey: number)?.cancel()
        }
    }

    /// Lets those be who have been cancelled by another thread: nothing is sent or opened for them. Their cancellation is in the
    /// mail, and ends them.
    private func passOverCancelled() {
        var left = Self.passedOverAtOnce
        while left > 0, let task = nextCancelled {
            leaveLine(task)
            left -= 1
        }
    }

    private var nextCancelled: SessionTask? {
        if let task = state.first, task.isCancelled { return task }
        if let task = state.firstNew, task.isCancelled { return task }
        if let task = state.firstIdle, task.isCancelled { return task }
        return nil
    }

    private func serve(_ task: SessionTask, _ connection: Connection) {
        stopWaiting(task)
        connection.start(task)
    }

    private func carryOut(_ orders: PoolState<Connection, SessionTask>.Orders) {
        if let idle = orders.closes {
            connections[ObjectIdentifier(idle)] = nil
            idle.close()
        }
        if let heir = orders.inherits {
            attempts[heir.number]?.setDeadline(connectDeadline(of: heir.waiter))
        }
        if let new = orders.opens { open(new.number, for: new.waiter) }
    }

    private func open(_ number: Int, for task: SessionTask) {
        let attempt = Dialler(
            origin: origin, shard: shard, pool: self, number: number, deadline: connectDeadline(of: task))
        attempts[number] = attempt
        attempt.start()
    }

    /// By when a connection has to be there: counts from the moment in which `task` began to rely on one that is being opened.
    private func connectDeadline(of task: SessionTask) -> MonotonicInstant {
        if let deadline = task.run.connectDeadline { return deadline }
        let deadline = MonotonicInstant.now.advanced(by: task.timeouts.connect)
        task.run.connectDeadline = deadline
        return deadline
    }

    /// Opens what is missing for those who wait, after the mail of this turn: whoever gives up in it needs none.
    private func openSoon() {
        if willOpen || isClosed || state.firstIdle == nil { return }
        willOpen = shard.loop.execute { self.openMissing() }
    }

    private func openMissing() {
        willOpen = false
        if isClosed { return }
        passOverCancelled()
        while let next = state.nextToOpen() { open(next.number, for: next.waiter) }
        tellIfEmpty()
    }

    /// Whether somebody waits for a connection.
    var isAwaited: Bool { state.isAwaited }

    /// Whether it holds nothing and nobody, and is not about to.
    var isEmpty: Bool { state.isEmpty && attempts.isEmpty && !isStarting }

    private func tellIfEmpty() {
        if isEmpty { shard.emptied(self) }
    }
}

// The end
extension ConnectionPool {
    /// Opens, serves and keeps nothing from now on. `closeNext` ends what there is.
    func close() {
        isClosed = true
        state.drainIdle()
    }

    /// Ends one of those who wait, or one connection. False if there is nothing left to end.
    func closeNext() -> Bool {
        if let (_, attempt) = attempts.popFirst() {
            attempt.cancel()
        } else if let (_, connection) = connections.popFirst() {
            connection.end(.sessionInvalidated)
        } else if let task = state.drainNext() {
            stopWaiting(task)
            task.complete(task.error(.sessionInvalidated, phase: .pool))
        } else {
            return false
        }
        return true
    }
}

// What attempts and connections report
extension ConnectionPool {
    func attempt(_ attempt: Dialler, opened connection: Connection) {
        attempts[attempt.number] = nil
        if isClosed { return connection.close() }
        connections[ObjectIdentifier(connection)] = connection
        passOverCancelled()
        let (task, orders) = state.opened(attempt.number, connection)
        carryOut(orders)
        if let task { serve(task, connection) } else { connection.rest() }
    }

    func attempt(_ attempt: Dialler, failed error: EngineError) {
        // One that was given up in the meantime does not count any more.
        guard attempts.removeValue(forKey: attempt.number) != nil, !isClosed else { return }
        let deadline = state.reliant(on: attempt.number)?.run.connectDeadline
        let isTimeUp = deadline.map { $0 <= shard.loop.now } ?? false
        let (task, orders) = state.failedToOpen(attempt.number, isTimeUp: isTimeUp)
        carryOut(orders)
        if let task {
            stopWaiting(task)
            task.complete(
                EngineError(
                    error.reason, phase: error.phase, origin: origin, remoteAddress: error.remoteAddress,
                    wasSent: task.run.wasSent))
        }
        tellIfEmpty()
    }

    /// The connection can carry another exchange.
    func release(_ connection: Connection) {
        if isClosed { return connection.close() }
        if connection.isOutdated {
            connection.close()
            return connectionLost(connection)
        }
        passOverCancelled()
        switch state.released(connection) {
        case .serve(let task, let orders):
            carryOut(orders)
            serve(task, connection)
        case .keep: connection.rest()
        case .replace(let orders):
            connections[ObjectIdentifier(connection)] = nil
            connection.close()
            carryOut(orders)
        }
    }

    /// A connection that was carrying an exchange is closed.
    func connectionLost(_ connection: Connection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        state.lostLeased()
        openSoon()
        tellIfEmpty()
    }

    /// A connection that was resting is closed.
    func idleConnectionLost(_ connection: Connection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        state.lostIdle(connection)
        openSoon()
        tellIfEmpty()
    }
}

/// Ends a task whose total time passes before a connection has taken it on.
private final class WaitTimer: ReadinessHandler {
    private let task: SessionTask
    private let pool: ConnectionPool

    init(task: SessionTask, pool: ConnectionPool) {
        self.task = task
        self.pool = pool
    }

    func ready(_ readiness: Readiness) {
        pool.abandon(task, task.error(.timedOut(.total), phase: .pool))
    }
}
