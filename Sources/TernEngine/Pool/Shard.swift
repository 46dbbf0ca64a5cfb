// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// The part of a session that lives on one reactor: its pools and, through them, its connections.
///
/// `perform` is for any thread; everything else belongs to the loop's, which is what `@unchecked Sendable` rests on.
/// Holds the loop but not the reactor, so a forgotten task cannot keep a thread alive.
final class Shard: @unchecked Sendable {
    let loop: ReactorLoop
    let configuration: SessionConfiguration
    let trust: TrustSettings
    let resolver: Resolver
    private let connectionLimit: Int
    private var pools: [Origin: ConnectionPool] = [:]
    /// The pool that emptied last.
    private var spare: ConnectionPool?
    /// Pools that are being closed.
    private var closing: [ConnectionPool] = []
    private var isClosed = false
    private let inbox = TaskInbox()

    init(
        loop: ReactorLoop, configuration: SessionConfiguration, connectionLimit: Int, trust: TrustSettings,
        resolver: Resolver
    ) {
        self.loop = loop
        self.configuration = configuration
        self.connectionLimit = connectionLimit
        self.trust = trust
        self.resolver = resolver
    }

    /// Runs `work` on the loop's thread: at once if that is where we are. False if the loop has ended.
    @discardableResult
    func perform(_ work: @escaping @Sendable (Shard) -> Void) -> Bool {
        if loop.isCurrent {
            work(self)
            return true
        }
        return loop.execute { work(self) }
    }

    func start(_ task: SessionTask) {
        // A cancellation from another thread may have come before the start it cancels.
        if task.run.isOver || task.isCancelled { return }
        if isClosed { return task.completeLater(.sessionInvalidated, phase: .request, on: loop) }
        switch task.originalRequest.destination {
        case .success(let destination): pool(for: destination.origin).start(task)
        case .failure(let error): reject(task, error)
        }
    }

    /// Has the loop start or cancel a task: at once if that is where we are, and as it has time if not. Without a loop, which has
    /// ended then, the task ends.
    func deliver(_ letter: TaskInbox.Letter) {
        if loop.isCurrent { return open(letter) }
        if !inbox.add(letter) || loop.execute({ self.openMore() }) { return }
        while let letter = inbox.next() {
            switch letter {
            case .start(let task): task.endWithoutLoop()
            case .cancel(let task): task.completeLater(.cancelled, phase: .request, on: nil)
            }
        }
    }

    private func openMore() {
        var budget = TurnBudget()
        while budget.spend() {
            guard let letter = inbox.next() else { return }
            open(letter)
        }
        loop.execute { self.openMore() }
    }

    private func open(_ letter: TaskInbox.Letter) {
        switch letter {
        case .start(let task): start(task)
        case .cancel(let task): cancel(task)
        }
    }

    func cancel(_ task: SessionTask) {
        switch task.run.place {
        case .nowhere: task.complete(task.error(.cancelled, phase: .request))
        case .waiting(let pool): pool.abandon(task, task.error(.cancelled, phase: .pool))
        case .active(let connection): connection.end(.cancelled)
        }
    }

    /// Fails a task that cannot be sent.
    func reject(_ task: SessionTask, _ error: InvalidRequest) {
        task.run.place = .nowhere
        task.completeLater(.invalidRequest(error), phase: .request, on: loop)
    }

    func updatePause(of task: SessionTask) {
        if case .active(let connection) = task.run.place { connection.updatePause() }
    }

    /// Ends every task with an error and closes every connection; in pieces, because there may be a hundred thousand, and
    /// other sessions live on this reactor.
    func close() {
        if isClosed { return }
        isClosed = true
        closing = Array(pools.values)
        pools = [:]
        spare = nil
        for pool in closing { pool.close() }
        closeMore()
    }

    private func closeMore() {
        var budget = TurnBudget()
        while let pool = closing.last {
            guard budget.spend() else {
                loop.execute { self.closeMore() }
                return
            }
            // Whoever is told his end may have us close more, in the midst of this.
            if !pool.closeNext(), closing.last === pool { closing.removeLast() }
        }
    }

    /// Closes the idle connections whose servers were judged by policies that count no more.
    func retireOutdated() {
        for pool in pools.values { pool.retireOutdated() }
    }

    /// Forgets pools that hold nothing any more, so that visiting many hosts does not grow memory; but for the last one,
    /// which a host that closes after every response would need again at once.
    func emptied(_ pool: ConnectionPool) {
        // The end of its last task may have been the end of the session: a pool kept now would keep us for ever.
        if isClosed || spare === pool { return }
        if let spare, spare.isEmpty, pools[spare.origin] === spare { pools[spare.origin] = nil }
        spare = pool
    }

    private func pool(for origin: Origin) -> ConnectionPool {
        if let pool = pools[origin] { return pool }
        let pool = ConnectionPool(origin: origin, limit: connectionLimit, shard: self)
        pools[origin] = pool
        return pool
    }
}
