// SPDX-License-Identifier: Apache-2.0

/// What a waiter asks for.
enum ConnectionClaim {
    /// It asks for the first time.
    case new
    /// The same, but it must not meet the close of an idle connection.
    case careful
    /// Its reused connection turned out to be dead.
    case repeated

    /// Whether it waits before the new ones, and is admitted whatever the queue's limit. While it waits it takes only a
    /// connection that has not been used.
    var takesPrecedence: Bool {
        switch self {
        case .new, .careful: false
        case .repeated: true
        }
    }

    /// Whether the connections that are idle now will not do.
    var needsUnused: Bool {
        switch self {
        case .new: false
        case .careful, .repeated: true
        }
    }
}

/// The connections of one pool, the waiters, and the actions that follow when either changes. A pure state machine.
/// Every event takes constant time, however many wait.
///
/// Idle connections are used last in, first out: the most recently used one is reused, and the others age. Waiters are
/// served in order. Waiters whose reused connection died come first: they take only a connection that has not been
/// used. The owner may pass over others that must not take a connection that was used.
///
/// The first waiters each rely on a pending connection; the others wait for connections in use. The timeout of a waiter
/// applies to the connection it relies on, and the waiter gets its failure if the connection was begun for it. If the
/// waiter leaves, the next one inherits the connection.
struct PoolState<Connection: IntrusiveQueueElement, Waiter: IntrusiveQueueElement>: ~Copyable {
    /// How many connections there may be.
    private var permits: Int
    private let queueLimit: Int
    private var idle = IntrusiveQueue<Connection>()
    private var leased = 0
    private var queue = IntrusiveQueue<Waiter>()
    private var pending = PendingConnections<Waiter>()
    /// The first waiter that accepts a reused connection. All before it need an unused one.
    private(set) var firstNew: Waiter?
    /// The first waiter that does not rely on a pending connection.
    private(set) var firstIdle: Waiter?

    init(permits: Int = 0, queueLimit: Int) {
        self.permits = permits
        self.queueLimit = queueLimit
    }

    /// A pending connection, and the waiter that relies on it from now on.
    struct Assignment {
        let number: Int
        let waiter: Waiter
    }

    /// The further actions, in this order.
    struct Orders {
        /// Close this idle connection.
        var closes: Connection?
        /// Reassign this pending connection.
        var inherits: Assignment?
        /// Open this one.
        var opens: Assignment?
    }

    enum Acquisition {
        /// Use this connection.
        case use(Connection)
        /// Wait.
        case wait(Orders)
        /// The queue is full.
        case refuse(limit: Int)
    }

    mutating func acquire(_ waiter: Waiter, _ claim: ConnectionClaim) -> Acquisition {
        if !claim.needsUnused, let connection = idle.popLast() {
            leased += 1
            return .use(connection)
        }
        // Waiters that rely on a pending connection do not count.
        let isNext = claim.takesPrecedence || mayOpen || pending.hasSpare || !idle.isEmpty
        guard isNext || queue.count - pending.reliantCount < queueLimit else { return .refuse(limit: queueLimit) }
        var orders = Orders()
        if claim.takesPrecedence { enterBeforeNew(waiter, &orders) } else { enter(waiter) }
        if let inherited = inheritSpare() { orders.inherits = inherited }
        if orders.opens == nil { orders.opens = nextToOpen() }
        if firstIdle != nil, orders.opens == nil, let oldest = idle.popFirst() {
            orders.closes = oldest
            orders.opens = nextToOpen()
        }
        return .wait(orders)
    }

    /// A connection is open and unused. Returns the waiter that is to use it; without one it is kept.
    mutating func opened(_ number: Int, _ connection: Connection) -> (serves: Waiter?, orders: Orders) {
        let reliant = pending.end(number)?.waiter
        guard let head = queue.first else {
            idle.append(connection)
            return (nil, Orders())
        }
        leased += 1
        leave(head)
        guard let reliant, reliant !== head else { return (head, Orders(inherits: inheritSpare())) }
        // The two waiters swap their connections.
        let number = pending.inheritSpare(reliant)
        return (head, Orders(inherits: number.map { Assignment(number: $0, waiter: reliant) }))
    }

    /// A connection is open that only the waiter that relies on it may use; it uses it now.
    mutating func openedForReliant(_ number: Int) -> Orders {
        if let waiter = pending.end(number)?.waiter {
            leased += 1
            leave(waiter)
        }
        return Orders(inherits: inheritSpare())
    }

    enum Placement {
        /// Let this waiter use the connection.
        case serve(Waiter, Orders)
        /// Keep it for later.
        case keep
        /// Close it: the next waiter would not take it.
        case replace(Orders)
    }

    /// A connection in use has finished its exchange and can carry another.
    mutating func released(_ connection: Connection) -> Placement {
        if !pending.isEmpty || queue.first === firstNew, let next = firstNew {
            leave(next)
            return .serve(next, Orders(inherits: inheritSpare()))
        }
        return passedOver(connection)
    }

    /// The same, and no waiter takes it.
    mutating func passedOver(_ connection: Connection) -> Placement {
        leased -= 1
        if let opens = nextToOpen() { return .replace(Orders(opens: opens)) }
        idle.append(connection)
        return .keep
    }

    /// A connection could not be opened. Returns the waiter that fails: the one that relied on it, if the connection
    /// was begun for it or `isFinal`. A waiter that inherited the connection gets one of its own. For others,
    /// `nextToOpen` names its replacement later.
    mutating func failedToOpen(_ number: Int, isFinal: Bool) -> (bearer: Waiter?, orders: Orders) {
        guard let reliance = pending.end(number) else { return (nil, Orders()) }
        let waiter = reliance.waiter
        if reliance.isInherited, !isFinal {
            return (nil, Orders(opens: Assignment(number: pending.begin(for: waiter), waiter: waiter)))
        }
        leave(waiter)
        return (waiter, Orders())
    }

    /// A connection in use is gone. `nextToOpen` names its replacement later.
    mutating func lostLeased() { leased -= 1 }

    /// An idle connection is gone.
    mutating func lostIdle(_ connection: Connection) { idle.remove(connection) }

    enum Cancellation {
        /// It was not waiting.
        case absent
        /// It waits no more.
        case removed(Orders)
        /// It waits no more, and no waiter wants this pending connection: give it up.
        case superfluous(Int)
    }

    /// A waiter gives up.
    mutating func cancel(_ waiter: Waiter) -> Cancellation {
        guard queue.contains(waiter) else { return .absent }
        let number = pending.number(for: waiter)
        leave(waiter)
        if let heir = inheritSpare() { return .removed(Orders(inherits: heir)) }
        guard let number else { return .removed(Orders()) }
        _ = pending.end(number)
        return .superfluous(number)
    }

    /// A connection in use has finished its exchange, and is closed together with its permit.
    mutating func gaveUpLeased() {
        leased -= 1
        permits -= 1
    }

    /// The same for the permit of an idle connection, which `popIdle` returns.
    mutating func gaveUpIdle() { permits -= 1 }

    /// Removes the connection that has been idle longest.
    mutating func popIdle() -> Connection? { idle.popFirst() }

    /// Whether a waiter needs a permit that no connection has any more.
    var hasUnusedPermit: Bool { mayOpen && firstIdle != nil }

    /// Another pool gets that permit.
    mutating func gaveUpUnused() { permits -= 1 }

    /// There may be one more connection.
    mutating func addPermit() { permits += 1 }

    /// Removes a permit that no connection has, and no waiter needs. False if there is none.
    mutating func removePermit() -> Bool {
        guard mayOpen, firstIdle == nil else { return false }
        permits -= 1
        return true
    }

    /// Whether one more connection would serve a waiter, but there may be none.
    var needsPermit: Bool { firstIdle != nil && !mayOpen }

    /// Whether one more would serve a new waiter that makes this claim, but there may be none.
    func needsPermit(for claim: ConnectionClaim) -> Bool {
        (idle.isEmpty || claim.needsUnused) && !mayOpen && !pending.hasSpare
    }

    /// Begins a connection for the first waiter that relies on none, if the limit allows one more.
    mutating func nextToOpen() -> Assignment? {
        guard mayOpen, let waiter = firstIdle else { return nil }
        firstIdle = queue.member(after: waiter)
        return Assignment(number: pending.begin(for: waiter), waiter: waiter)
    }

    /// Begins a connection for no waiter, if the limit allows one more.
    mutating func openSpare() -> Int? { mayOpen ? pending.beginSpare() : nil }

    /// Returns the waiter that relies on this connection.
    func reliant(on number: Int) -> Waiter? { pending.reliant(on: number) }

    /// For closing the pool: removes the first waiter, without opening a connection for another.
    mutating func drainNext() -> Waiter? {
        guard let head = queue.first else { return nil }
        leave(head)
        return head
    }

    /// Forgets the idle connections; the caller closes them.
    mutating func drainIdle() { idle = IntrusiveQueue() }

    /// The number of connections: idle, in use, and being opened.
    var counts: (idle: Int, leased: Int, opening: Int) { (idle.count, leased, pending.count) }

    /// The number of waiters.
    var waitingCount: Int { queue.count }

    /// The idle connection that is used next.
    var mostRecent: Connection? { idle.last }

    /// The one that has been idle longest.
    var oldestIdle: Connection? { idle.first }

    /// The waiter that is served next.
    var first: Waiter? { queue.first }

    /// Whether there is a waiter.
    var isAwaited: Bool { !queue.isEmpty }

    /// Whether there is no connection and no waiter.
    var isEmpty: Bool { count == 0 && queue.isEmpty }

    private var mayOpen: Bool { count < permits }

    private var count: Int { idle.count + leased + pending.count }

    private mutating func enter(_ waiter: Waiter) {
        enterLast(waiter)
        if firstNew == nil { firstNew = waiter }
    }

    /// After the waiters that took precedence before, and before all others.
    private mutating func enterBeforeNew(_ waiter: Waiter, _ orders: inout Orders) {
        guard let firstNew else { return enterLast(waiter) }
        queue.insert(waiter, before: firstNew)
        if pending.number(for: firstNew) != nil {
            relyBeforeOthers(waiter, &orders)
        } else if firstIdle === firstNew {
            firstIdle = waiter
        }
    }

    private mutating func enterLast(_ waiter: Waiter) {
        queue.append(waiter)
        if firstIdle == nil { firstIdle = waiter }
    }

    /// For a waiter in front of others that rely on pending connections. If none can be opened for it, the last of them
    /// gives its connection up, and is the next to get another.
    private mutating func relyBeforeOthers(_ waiter: Waiter, _ orders: inout Orders) {
        if !pending.hasSpare {
            if mayOpen {
                orders.opens = Assignment(number: pending.begin(for: waiter), waiter: waiter)
                return
            }
            guard let last = lastReliant else { return }
            pending.leave(last)
            firstIdle = last
        }
        orders.inherits = pending.inheritSpare(waiter).map { Assignment(number: $0, waiter: waiter) }
    }

    private var lastReliant: Waiter? {
        guard let firstIdle else { return queue.last }
        return queue.member(before: firstIdle)
    }

    /// Removes `waiter`; the connection that it relied on becomes spare.
    private mutating func leave(_ waiter: Waiter) {
        if firstNew === waiter { firstNew = queue.member(after: waiter) }
        if firstIdle === waiter { firstIdle = queue.member(after: waiter) }
        queue.remove(waiter)
        pending.leave(waiter)
    }

    /// Gives the spare connection to the first waiter that relies on none.
    private mutating func inheritSpare() -> Assignment? {
        guard pending.hasSpare, let waiter = firstIdle, let number = pending.inheritSpare(waiter) else { return nil }
        firstIdle = queue.member(after: waiter)
        return Assignment(number: number, waiter: waiter)
    }
}
