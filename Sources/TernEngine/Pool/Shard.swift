// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// The part of a session on one reactor: its pools and, through them, its connections.
///
/// `deliver`, `perform` and `starting` may be called on any thread; everything else belongs to the loop's thread, hence
/// `@unchecked Sendable`.
final class Shard<Requester: ConnectionRequester>: @unchecked Sendable {
    typealias Pool = ConnectionPool<Requester>

    let shared: SharedSettings
    private let permits: ConnectionPermits
    private var pools: [Route: Pool] = [:]
    /// The pool that was used last, which is usually used next.
    private var latest: Pool?
    /// The pool that became empty last.
    private var spare: Pool?
    /// What was learnt by pools that are gone.
    private var idleLimits = IdleLimits()
    /// Pools that are being closed.
    private var closing: [Pool] = []
    private(set) var isClosed = false
    /// Other objects on the reactor that end with the shard.
    private var members: [ObjectIdentifier: any ShardMember] = [:]
    private let inbox = Inbox<Requester>()

    private let idle: IdleConnections

    /// - Parameter idleLimit: the number of idle connections that are kept.
    init(_ shared: SharedSettings, _ permits: ConnectionPermits, idleLimit: Int = .max) {
        (self.shared, self.permits) = (shared, permits)
        idle = IdleConnections(limit: idleLimit)
    }

    var loop: ReactorLoop { shared.loop }

    /// Runs `work` on the loop's thread: at once if this is that thread. False if the loop has ended.
    @discardableResult
    func perform(_ work: @escaping @Sendable (Shard) -> Void) -> Bool {
        shared.perform { work(self) }
    }

    /// Makes the loop perform a command: at once on its own thread, unless an observer runs, and in a later tick otherwise.
    /// If the loop has ended, the command is returned.
    func deliver(_ command: TaskCommand, from sender: Requester) {
        if loop.performsNow { return sender.perform(command) }
        if !inbox.add(command, from: sender) || loop.execute({ self.openMore() }) { return }
        while let entry = inbox.next() { entry.sender.returned(entry.command) }
    }

    /// The same, but on this thread if the loop sleeps.
    func deliverHere(_ command: TaskCommand, from sender: Requester) {
        if loop.isCurrent || !loop.runWhileAsleep({ sender.perform(command) }) { deliver(command, from: sender) }
    }

    /// The senders of the starts that the loop has not performed. Any thread.
    var starting: [Requester] { inbox.starting }

    private func openMore() {
        var budget = TickBudget()
        while budget.spend() {
            guard let entry = inbox.next() else { return }
            entry.sender.perform(entry.command)
        }
        loop.execute { self.openMore() }
    }

    /// Ends `member` with the shard, unless it leaves before.
    func admit(_ member: any ShardMember) { members[ObjectIdentifier(member)] = member }

    func dismiss(_ member: any ShardMember) { members[ObjectIdentifier(member)] = nil }

    func endMembers(_ reason: SessionError.Reason) {
        for member in members.values { member.end(reason) }
    }

    /// Finds `requester` a connection on `route`, now or later.
    func find(_ route: Route, for requester: Requester) { pool(for: route).start(requester) }

    /// Opens connections on `route` for later requests.
    func prepare(_ preparation: Preparation, on route: Route, deadline: MonotonicInstant) {
        pool(for: route).prepare(preparation, deadline: deadline)
    }

    /// `requester` waits no more for one on `route`, and is not called.
    func abandon(_ route: Route, _ requester: Requester) { pools[route]?.abandon(requester) }

    /// Ends every waiter with an error and closes every connection; in batches, because there may be a hundred
    /// thousand, and other sessions use this reactor.
    func close() {
        if isClosed { return }
        isClosed = true
        closing = Array(pools.values)
        pools = [:]
        latest = nil
        spare = nil
        for pool in closing { pool.close() }
        closeMore()
        endMembers(.sessionInvalidated)
    }

    private func closeMore() {
        var budget = TickBudget()
        while let pool = closing.last {
            guard budget.spend() else {
                loop.execute { self.closeMore() }
                return
            }
            // A delegate may close more pools when it receives its end.
            if !pool.closeNext(), closing.last === pool { closing.removeLast() }
        }
    }

    /// Closes the idle connections whose servers were evaluated by outdated policies.
    func retireOutdated() {
        for pool in pools.values { pool.retireOutdated() }
    }

    /// Every later request uses a connection opened after this.
    func reset() {
        for pool in pools.values { pool.reset() }
    }

    /// Removes empty pools, so that visiting many hosts does not grow memory; except the last one, which a host that
    /// closes after every response would need again at once.
    func emptied(_ pool: Pool) {
        // The end of the last task may have ended the session: a pool kept now would keep this shard forever.
        if isClosed || spare === pool { return }
        if let spare, spare.isEmpty, pools[spare.route] === spare {
            pools[spare.route] = nil
            idleLimits.keep(spare.idleLimit, of: spare.route.server, at: loop.now)
            if latest === spare { latest = nil }
        }
        spare = pool
    }

    func pool(for route: Route) -> Pool {
        if let latest, latest.serves(route) { return latest }
        let pool = pools[route] ?? newPool(for: route)
        pools[route] = pool
        latest = pool
        return pool
    }

    private func newPool(for route: Route) -> Pool {
        Pool(
            route, shared, permits, idle, idleLimits.take(route.server), emptied: { self.emptied($0) },
            crowded: { self.closeSurplus() })
    }
}

// Idle connections that are too many
extension Shard: IdleHolder {
    /// Closes those that have been idle longest, whatever their route.
    private func closeSurplus() {
        while idle.isTooMany {
            let pools = pools.values.lazy.filter { $0.idleSince != nil }
            guard let oldest = pools.min(by: { $0.idleSince ?? loop.now < $1.idleSince ?? loop.now }) else { return }
            oldest.closeIdle()
        }
    }

    func closeIdle(then completion: @escaping @Sendable () -> Void) {
        let isTaken = perform { shard in
            for pool in Array(shard.pools.values) { while pool.idleSince != nil { pool.closeIdle() } }
            completion()
        }
        if !isTaken { completion() }
    }
}

/// An object on a shard's reactor outside of its pools, such as a raw stream or a task's timer. On the loop's thread.
protocol ShardMember: AnyObject {
    /// Ends it, for this reason.
    func end(_ reason: SessionError.Reason)
}

extension RawStream: ShardMember {
    func end(_ reason: SessionError.Reason) { end(StreamFailure(reason: reason)) }
}
