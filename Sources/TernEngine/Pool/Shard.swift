// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// The part of a session that lives on one reactor: its pools and, through them, its connections.
///
/// `deliver` and `perform` are for any thread; everything else belongs to the loop's, which is what `@unchecked Sendable`
/// rests on.
final class Shard<Seeker: ConnectionSeeker>: @unchecked Sendable {
    typealias Pool = ConnectionPool<Seeker>

    let shared: SharedSettings
    private let connectionLimit: Int
    private var pools: [Route: Pool] = [:]
    /// The pool that was used last, which as a rule is used next.
    private var latest: Pool?
    /// The pool that emptied last.
    private var spare: Pool?
    /// Pools that are being closed.
    private var closing: [Pool] = []
    private(set) var isClosed = false
    /// Connections that are nobody's but a task's.
    private var guests: [ObjectIdentifier: any Guest] = [:]
    private let inbox = Inbox<Seeker>()

    init(_ shared: SharedSettings, connectionLimit: Int) {
        self.shared = shared
        self.connectionLimit = connectionLimit
    }

    var loop: ReactorLoop { shared.loop }

    /// Runs `work` on the loop's thread: at once if that is where we are. False if the loop has ended.
    @discardableResult
    func perform(_ work: @escaping @Sendable (Shard) -> Void) -> Bool {
        shared.perform { work(self) }
    }

    /// Has the loop open a letter: at once if that is where we are, and as it has time if not. Without a loop, which has
    /// ended then, it goes back.
    func deliver(_ letter: Letter, from sender: Seeker) {
        if loop.isCurrent { return sender.open(letter) }
        if !inbox.add(letter, from: sender) || loop.execute({ self.openMore() }) { return }
        while let entry = inbox.next() { entry.sender.returned(entry.letter) }
    }

    /// The same, but on this thread if the loop sleeps.
    func deliverHere(_ letter: Letter, from sender: Seeker) {
        if loop.isCurrent || !loop.standIn({ sender.open(letter) }) { deliver(letter, from: sender) }
    }

    private func openMore() {
        var budget = TurnBudget()
        while budget.spend() {
            guard let entry = inbox.next() else { return }
            entry.sender.open(entry.letter)
        }
        loop.execute { self.openMore() }
    }

    /// Has `guest` end with the shard, unless it leaves before.
    func admit(_ guest: any Guest) { guests[ObjectIdentifier(guest)] = guest }

    func dismiss(_ guest: any Guest) { guests[ObjectIdentifier(guest)] = nil }

    func endGuests(_ reason: EngineError.Reason) {
        for guest in guests.values { guest.end(reason) }
    }

    /// Finds `seeker` a connection on `route`, now or later.
    func find(_ route: Route, for seeker: Seeker) { pool(for: route).start(seeker) }

    /// `seeker` waits no more for one on `route`, and is told nothing.
    func abandon(_ route: Route, _ seeker: Seeker) { pools[route]?.abandon(seeker) }

    /// Ends everybody who waits with an error and closes every connection; in pieces, because there may be a hundred thousand,
    /// and other sessions live on this reactor.
    func close() {
        if isClosed { return }
        isClosed = true
        closing = Array(pools.values)
        pools = [:]
        latest = nil
        spare = nil
        for pool in closing { pool.close() }
        closeMore()
        endGuests(.sessionInvalidated)
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

    /// Every later request travels on a connection opened after this.
    func reset() {
        for pool in pools.values { pool.reset() }
    }

    /// Forgets pools that hold nothing any more, so that visiting many hosts does not grow memory; but for the last one,
    /// which a host that closes after every response would need again at once.
    func emptied(_ pool: Pool) {
        // The end of its last task may have been the end of the session: a pool kept now would keep us for ever.
        if isClosed || spare === pool { return }
        if let spare, spare.isEmpty, pools[spare.route] === spare {
            pools[spare.route] = nil
            if latest === spare { latest = nil }
        }
        spare = pool
    }

    private func pool(for route: Route) -> Pool {
        if let latest, latest.route == route { return latest }
        let pool = pools[route] ?? Pool(route, limit: connectionLimit, shard: self)
        pools[route] = pool
        latest = pool
        return pool
    }
}
