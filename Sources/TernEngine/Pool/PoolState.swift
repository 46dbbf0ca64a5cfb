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
    private var queue = WaitingLine<Waiting>()

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
        // Those for whom a connection is on its way do not count.
        guard mayOpen || !idle.isEmpty || queue.count - opening < queueLimit else { return .refuse(limit: queueLimit) }
        queue.append(Waiting(waiter: waiter, isPicky: isPicky))
        if mayOpen {
            opening += 1
            return .open
        }
        guard let oldest = idle.first else { return .wait }
        idle.removeFirst()
        opening += 1
        return .replace(oldest)
    }

    /// A connection is open and unused. Gives the waiter that is to use it; without one it is kept.
    mutating func opened(_ connection: Connection) -> Waiter? {
        opening -= 1
        guard let next = queue.removeFirst() else {
            idle.append(connection)
            return nil
        }
        leased += 1
        return next.waiter
    }

    enum Placement {
        /// Let this waiter use the connection.
        case serve(Waiter)
        /// Keep it for later.
        case keep
        /// Close it and open one in its place for this waiter, which would not take it.
        case replace(for: Waiter)
    }

    /// A leased connection has carried its exchange and can carry another.
    mutating func released(_ connection: Connection) -> Placement {
        let isHeadServed = opening > 0 || queue.first?.isPicky != true
        if isHeadServed, let next = queue.removeFirst(where: { !$0.isPicky }) { return .serve(next.waiter) }
        leased -= 1
        if let next = nextToOpenFor() { return .replace(for: next) }
        idle.append(connection)
        return .keep
    }

    /// A connection could not be opened. Returns whether `waiter`, for whom it was, still waits, and so has to bear it;
    /// and for whom to open another.
    mutating func failedToOpen(for waiter: Waiter) -> (isBorne: Bool, opensFor: Waiter?) {
        opening -= 1
        let isBorne = queue.removeFirst { $0.waiter === waiter } != nil
        return (isBorne, nextToOpenFor())
    }

    /// A leased connection is gone. Returns for whom to open another.
    mutating func lostLeased() -> Waiter? {
        leased -= 1
        return nextToOpenFor()
    }

    /// An idle connection is gone.
    mutating func lostIdle(_ connection: Connection) {
        // From the end: the youngest are the likeliest to be looked for, right after their release.
        if let index = idle.lastIndex(where: { $0 === connection }) { idle.remove(at: index) }
    }

    enum Cancellation {
        /// It was not waiting.
        case absent
        /// It waits no more.
        case removed
        /// It waits no more, and one of the connections on their way is wanted by nobody: give that up.
        case superfluous
    }

    /// A waiter gives up.
    mutating func cancel(_ waiter: Waiter) -> Cancellation {
        guard queue.removeFirst(where: { $0.waiter === waiter }) != nil else { return .absent }
        guard opening > queue.count else { return .removed }
        opening -= 1
        return .superfluous
    }

    /// Forgets the idle connections and gives back those who wait; the caller ends both.
    mutating func drain() -> [Waiter] {
        idle = []
        return queue.removeAll().map(\.waiter)
    }

    /// The idle connection that would be used next.
    var warmest: Connection? { idle.last }

    /// Whether there is room for another connection.
    var mayOpen: Bool { count < connectionLimit }

    /// Whether somebody waits.
    var isAwaited: Bool { !queue.isEmpty }

    /// No connection and nobody waiting.
    var isEmpty: Bool { count == 0 && queue.isEmpty }

    private var count: Int { idle.count + leased + opening }

    /// The first waiter for whom no connection is on its way, if there may be one more.
    private mutating func nextToOpenFor() -> Waiter? {
        guard count < connectionLimit, let next = queue[opening] else { return nil }
        opening += 1
        return next.waiter
    }
}
