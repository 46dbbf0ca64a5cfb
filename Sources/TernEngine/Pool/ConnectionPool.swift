// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// One origin's connections on one reactor: asks `PoolState` what to do, and does it.
final class ConnectionPool {
    let origin: Origin
    /// Where the origin is, if its host is an address already.
    let address: SocketAddress?
    private let shard: SessionShard
    private var state: PoolState<Connection, DataTask>
    /// Everything that is on its way or open, so that closing the pool reaches it. The youngest attempt is the last.
    private var attempts: [ConnectionAttempt] = []
    private var connections: [ObjectIdentifier: Connection] = [:]
    private var isClosed = false
    private var isStarting = false

    init(origin: Origin, limit: Int, shard: SessionShard) {
        self.origin = origin
        address = SocketAddress(literal: origin.host, port: origin.port)
        self.shard = shard
        state = PoolState(
            connectionLimit: limit, queueLimit: shard.configuration.maximumQueuedRequestsPerHost)
    }

    /// Finds `task` a connection, now or later.
    func start(_ task: DataTask) {
        // A connection found dead or talking out of turn closes itself and leaves the pool, so this ends.
        isStarting = true
        while let warmest = state.warmest, !warmest.isFit {}
        isStarting = false
        var prepared: PreparedExchange?
        if state.warmest == nil {
            do throws(InvalidRequest) {
                if state.mayOpen {
                    prepared = try PreparedExchange(task.originalRequest, shard.configuration)
                } else {
                    try task.originalRequest.check(shard.configuration)
                }
            } catch {
                shard.reject(task, error)
                return tellIfEmpty()
            }
        }
        switch state.acquire(task, isPicky: task.run.isRetried) {
        case .use(let connection):
            connection.start(task)
        case .open:
            wait(task)
            task.prepared = prepared.take()
            open(for: task)
        case .replace(let idle):
            wait(task)
            connections[ObjectIdentifier(idle)] = nil
            idle.close()
            open(for: task)
        case .wait:
            wait(task)
        case .refuse(let limit):
            task.completeLater(.queueFull(limit: limit), phase: .pool, on: shard.loop)
            tellIfEmpty()
        }
    }

    /// Ends a waiting task with `error`.
    func abandon(_ task: DataTask, _ error: EngineError) {
        let cancellation = state.cancel(task)
        if case .absent = cancellation { return }
        stopWaiting(task)
        if case .superfluous = cancellation { giveUpAttempt() }
        task.complete(error)
        tellIfEmpty()
    }

    func close() {
        isClosed = true
        let waiters = state.drain()
        let (attempts, connections) = (attempts, connections)
        self.attempts = []
        self.connections = [:]
        for attempt in attempts { attempt.cancel() }
        for task in waiters {
            stopWaiting(task)
            task.complete(task.error(.sessionInvalidated, phase: .pool))
        }
        for connection in connections.values { connection.end(.sessionInvalidated) }
    }

    /// Closes the idle connections whose servers were judged by policies that count no more.
    func retireOutdated() {
        for connection in connections.values { connection.retireIfOutdated() }
    }

    private func wait(_ task: DataTask) {
        task.run.place = .waiting(self)
        guard let deadline = task.totalDeadline else { return }
        let timer = shard.loop.registerTimer(handler: WaitTimer(task: task, pool: self))
        shard.loop.setDeadline(deadline, for: timer)
        task.run.waitTimer = timer
    }

    private func stopWaiting(_ task: DataTask) {
        task.run.place = .nowhere
        if let timer = task.run.waitTimer { shard.loop.deregister(timer) }
        task.run.waitTimer = nil
    }

    private func serve(_ task: DataTask, _ connection: Connection) {
        stopWaiting(task)
        connection.start(task)
    }

    private func open(for task: DataTask) {
        let attempt = ConnectionAttempt(origin: origin, shard: shard, pool: self, task: task)
        attempts.append(attempt)
        attempt.start()
    }

    /// Whoever waits may rely on the time limit of his own attempt: gives up one whose task does not wait.
    private func giveUpAttempt() {
        let index = attempts.lastIndex { !$0.task.run.place.isWaiting } ?? attempts.indices.last
        if let index { attempts.remove(at: index).cancel() }
    }

    /// Whether somebody waits for a connection.
    var isAwaited: Bool { state.isAwaited }

    /// Whether it holds nothing and nobody, and is not about to.
    var isEmpty: Bool { state.isEmpty && attempts.isEmpty && !isStarting }

    private func tellIfEmpty() {
        if isEmpty { shard.emptied(self) }
    }
}

// What attempts and connections report
extension ConnectionPool {
    func attempt(_ attempt: ConnectionAttempt, opened connection: Connection) {
        if let index = attempts.lastIndex(where: { $0 === attempt }) { attempts.remove(at: index) }
        if isClosed { return connection.close() }
        connections[ObjectIdentifier(connection)] = connection
        if let task = state.opened(connection) { serve(task, connection) } else { connection.rest() }
    }

    func attempt(_ attempt: ConnectionAttempt, failed error: EngineError) {
        // One that was given up in the meantime does not count any more.
        guard let index = attempts.firstIndex(where: { $0 === attempt }) else { return }
        attempts.remove(at: index)
        let task = attempt.task
        let (isBorne, next) = state.failedToOpen(for: task)
        if let next { open(for: next) }
        if isBorne {
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
        switch state.released(connection) {
        case .serve(let task): serve(task, connection)
        case .keep: connection.rest()
        case .replace(let task):
            connections[ObjectIdentifier(connection)] = nil
            connection.close()
            open(for: task)
        }
    }

    /// A connection that was carrying an exchange is closed.
    func connectionLost(_ connection: Connection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        if let task = state.lostLeased() { open(for: task) }
        tellIfEmpty()
    }

    /// A connection that was resting is closed.
    func idleConnectionLost(_ connection: Connection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        state.lostIdle(connection)
        tellIfEmpty()
    }
}

/// Ends a task whose total time passes before a connection has taken it on.
private final class WaitTimer: ReadinessHandler {
    private let task: DataTask
    private let pool: ConnectionPool

    init(task: DataTask, pool: ConnectionPool) {
        self.task = task
        self.pool = pool
    }

    func ready(_ readiness: Readiness) {
        pool.abandon(task, task.error(.timedOut(.total), phase: .pool))
    }
}
