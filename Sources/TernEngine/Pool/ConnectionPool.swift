// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// One origin's connections on one reactor: asks `PoolState` what to do, and does it.
final class ConnectionPool {
    let origin: Origin
    private let shard: SessionShard
    private var state: PoolState<Connection, DataTask>
    /// Everything that is open or on its way, so that closing the pool reaches it.
    private var attempts: [ObjectIdentifier: ConnectionAttempt] = [:]
    private var connections: [ObjectIdentifier: Connection] = [:]
    private var isClosed = false

    init(origin: Origin, limit: Int, shard: SessionShard) {
        self.origin = origin
        self.shard = shard
        state = PoolState(
            connectionLimit: limit, queueLimit: shard.configuration.maximumQueuedRequestsPerHost)
    }

    /// Finds `task` a connection, now or later.
    func start(_ task: DataTask) {
        // A connection found dead or talking out of turn closes itself and leaves the pool, so this ends.
        while let warmest = state.warmest, !warmest.isFit {}
        if state.warmest == nil {
            do throws(InvalidRequest) {
                try task.originalRequest.check(defaults: shard.configuration.httpAdditionalHeaders)
            } catch {
                return shard.reject(task, error)
            }
        }
        switch state.acquire(task, isPicky: task.run.isRetried) {
        case .use(let connection):
            connection.start(task)
        case .open:
            wait(task)
            open()
        case .replace(let idle):
            wait(task)
            connections[ObjectIdentifier(idle)] = nil
            idle.close()
            open()
        case .wait:
            wait(task)
        case .refuse(let limit):
            task.complete(task.error(.queueFull(limit: limit), phase: .pool))
        }
    }

    /// Ends a waiting task with `error`.
    func abandon(_ task: DataTask, _ error: EngineError) {
        guard state.cancel(task) else { return }
        stopWaiting(task)
        task.complete(error)
        discardIfEmpty()
    }

    func close() {
        isClosed = true
        let waiters = state.drain()
        let (attempts, connections) = (attempts, connections)
        self.attempts = [:]
        self.connections = [:]
        for attempt in attempts.values { attempt.cancel() }
        for task in waiters {
            stopWaiting(task)
            task.complete(task.error(.sessionInvalidated, phase: .pool))
        }
        for connection in connections.values { connection.end(.sessionInvalidated) }
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

    private func open() {
        let attempt = ConnectionAttempt(origin: origin, shard: shard, pool: self)
        attempts[ObjectIdentifier(attempt)] = attempt
        attempt.start()
    }

    private func discardIfEmpty() {
        if state.isEmpty, attempts.isEmpty { shard.discard(self) }
    }
}

// What attempts and connections report
extension ConnectionPool {
    func attempt(_ attempt: ConnectionAttempt, opened connection: Connection) {
        attempts[ObjectIdentifier(attempt)] = nil
        if isClosed { return connection.close() }
        connections[ObjectIdentifier(connection)] = connection
        switch state.opened(connection) {
        case .serve(let task): serve(task, connection)
        case .keep: connection.rest()
        }
    }

    func attempt(_ attempt: ConnectionAttempt, failed error: EngineError) {
        attempts[ObjectIdentifier(attempt)] = nil
        if isClosed { return }
        let (victim, opens) = state.failedToOpen()
        if opens { open() }
        if let victim {
            stopWaiting(victim)
            victim.complete(
                EngineError(
                    error.reason, phase: error.phase, origin: origin, remoteAddress: error.remoteAddress,
                    wasSent: victim.run.wasSent))
        }
        discardIfEmpty()
    }

    /// The connection can carry another exchange.
    func release(_ connection: Connection) {
        if isClosed { return connection.close() }
        switch state.released(connection) {
        case .serve(let task): serve(task, connection)
        case .keep: connection.rest()
        }
    }

    /// A connection that was carrying an exchange is closed.
    func connectionLost(_ connection: Connection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        if state.lostLeased() { open() }
        discardIfEmpty()
    }

    /// A connection that was resting is closed.
    func idleConnectionLost(_ connection: Connection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        state.lostIdle(connection)
        discardIfEmpty()
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
