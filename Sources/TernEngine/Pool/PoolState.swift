// SPDX-License-Identifier: Apache-2.0

/// Which connections one origin has, who waits for one, and what is to be done when that changes. Decides; does nothing.
///
/// Idle connections are used last in, first out: the warmest carries on and the others grow old together. Waiters are
/// served first come, first served. A waiter that is `picky`, because a reused connection has just died under it, takes
/// only a connection that nobody has used.
struct PoolState<Connection: AnyObject, Waiter: AnyObject>: ~Copyable {
    private struct Waiting {
        let waiter: Waiter
        let isPicky: Bool
    }

    private let connectionLimit: Int
    private let queueLimit: Int
    private var idle: [Connection] = []
    private var leased = 0
    private var opening = 0
    private var queue: [Waiting] = []

    init(connectionLimit: Int, queueLimit: Int) {
        self.connectionLimit = connectionLimit
        self.queueLimit = queueLimit
    }

    enum Acquisition {
        /// Use this connection.
        case use(Connection)
        /// Wait; and open a connection.
        case open
        /// Wait; close this idle connection and open one in its place.
        case replace(Connection)
        /// Wait.
        case wait
        /// The queue is full.
        case refuse(limit: Int)
    }

    mutating func acquire(_ waiter: Waiter, isPicky: Bool) -> Acquisition {
        if !isPicky, let connection = idle.popLast() {
            leased += 1
            return .use(connection)
        }
        guard queue.count < queueLimit else { return .refuse(limit: queueLimit) }
        queue.append(Waiting(waiter: waiter, isPicky: isPicky))
        if count < connectionLimit {
            opening += 1
            return .open
        }
        guard let oldest = idle.first else { return .wait }
        idle.removeFirst()
        opening += 1
        return .replace(oldest)
    }

    enum Placement<Served> {
        /// Let this waiter use the connection.
        case serve(Served)
        /// Keep it for later.
        case keep
    }

    /// A connection is open and unused.
    mutating func opened(_ connection: Connection) -> Placement<Waiter> {
        opening -= 1
        guard !queue.isEmpty else {
            idle.append(connection)
            return .keep
        }
        leased += 1
        return .serve(queue.removeFirst().waiter)
    }

    /// A leased connection has carried its exchange and can carry another.
    mutating func released(_ connection: Connection) -> Placement<Waiter> {
        if let index = queue.firstIndex(where: { !$0.isPicky }) {
            return .serve(queue.remove(at: index).waiter)
        }
        leased -= 1
        idle.append(connection)
        return .keep
    }

    /// A connection could not be opened. The first waiter bears it; somebody has to, or all would wait for ever.
    mutating func failedToOpen() -> (victim: Waiter?, opens: Bool) {
        opening -= 1
        let victim = queue.isEmpty ? nil : queue.removeFirst().waiter
        return (victim, opensForQueue())
    }

    /// A leased connection is gone. Returns whether to open another for those who wait.
    mutating func lostLeased() -> Bool {
        leased -= 1
        return opensForQueue()
    }

    /// An idle connection is gone.
    mutating func lostIdle(_ connection: Connection) {
        // From the end: the youngest are the likeliest to be looked for, right after their release.
        if let index = idle.lastIndex(where: { $0 === connection }) { idle.remove(at: index) }
    }

    /// A waiter gives up. False if it was not waiting.
    mutating func cancel(_ waiter: Waiter) -> Bool {
        guard let index = queue.firstIndex(where: { $0.waiter === waiter }) else { return false }
        queue.remove(at: index)
        return true
    }

    /// Forgets the idle connections and gives back those who wait; the caller ends both.
    mutating func drain() -> [Waiter] {
        defer {
            idle = []
            queue = []
        }
        return queue.map(\.waiter)
    }

    /// The idle connection that would be used next.
    var warmest: Connection? { idle.last }

    /// No connection and nobody waiting.
    var isEmpty: Bool { count == 0 && queue.isEmpty }

    private var count: Int { idle.count + leased + opening }

    private mutating func opensForQueue() -> Bool {
        guard queue.count > opening, count < connectionLimit else { return false }
        opening += 1
        return true
    }
}
