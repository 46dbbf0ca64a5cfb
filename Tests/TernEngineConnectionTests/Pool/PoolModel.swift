// SPDX-License-Identifier: Apache-2.0
@testable import TernEngine
@testable import TernEngineTestSupport

/// Performs a pool's actions in the simplest way, and complains when the pool breaks a promise.
struct PoolModel: ~Copyable {
    final class Connection: IntrusiveQueueElement {
        var hasBeenUsed = false
        var queueIndex: Int32 = -1
    }

    final class Waiter: IntrusiveQueueElement {
        let number: Int
        let isAgain: Bool
        var queueIndex: Int32 = -1

        init(number: Int, isAgain: Bool) {
            self.number = number
            self.isAgain = isAgain
        }
    }

    /// A connection being opened, the waiter that relies on it, and whether it was begun for another.
    private struct Attempt {
        let number: Int
        var reliant: Waiter?
        var isInherited = false
    }

    private(set) var complaints: [String] = []
    private var state: PoolState<Connection, Waiter>
    private let limit: Int
    private var attempts: [Attempt] = []
    private var idle: [Connection] = []
    private var leased: [Connection] = []
    private var waiting: [Waiter] = []
    private var nextNumber = 0
    /// A lost connection has not been replaced yet.
    private var isMissing = false

    init(limit: Int, queueLimit: Int) {
        self.limit = limit
        state = PoolState(permits: limit, queueLimit: queueLimit)
    }

    mutating func step(using generator: inout SeededGenerator) {
        switch Int.random(in: 0..<17, using: &generator) {
        case 0..<6:
            let kind = Int.random(in: 0..<8, using: &generator)
            ask(isAgain: kind < 2, isCareful: kind == 2)
        case 6..<8: if !attempts.isEmpty { open(Int.random(in: attempts.indices, using: &generator)) }
        case 16: openForReliant()
        case 8:
            let isFinal = Bool.random(using: &generator)
            if !attempts.isEmpty { fail(Int.random(in: attempts.indices, using: &generator), isFinal: isFinal) }
        case 9..<13:
            let isPassedOver = Int.random(in: 0..<8, using: &generator) == 0
            if !leased.isEmpty { release(Int.random(in: leased.indices, using: &generator), isPassedOver) }
        case 13:
            let isLast = Bool.random(using: &generator)
            if !leased.isEmpty { lose(Int.random(in: leased.indices, using: &generator), opensAtOnce: isLast) }
        case 14: if !idle.isEmpty { loseIdle(Int.random(in: idle.indices, using: &generator)) }
        default: if let waiter = waiting.randomElement(using: &generator) { cancel(waiter) }
        }
        check()
    }

    /// Lets everything pending succeed: every waiter must be served.
    mutating func finish() {
        openMissing()
        for _ in 0..<10_000 where !attempts.isEmpty || !leased.isEmpty {
            if attempts.isEmpty { release(0) } else { open(0) }
            check()
        }
        if !waiting.isEmpty { complaints.append("\(waiting.count) wait and no connection is pending") }
        while !idle.isEmpty { loseIdle(0) }
        if !state.isEmpty { complaints.append("not empty at the end") }
    }

    private mutating func ask(isAgain: Bool, isCareful: Bool = false) {
        nextNumber += 1
        let waiter = Waiter(number: nextNumber, isAgain: isAgain)
        let hadIdle = !idle.isEmpty
        switch state.acquire(waiter, isAgain ? .repeated : isCareful ? .careful : .new) {
        case .use(let connection):
            if isCareful { complaints.append("an idle connection for one who must not use it") }
            if isAgain { complaints.append("a used connection for one who is served again") }
            if connection !== idle.last { complaints.append("not the warmest") }
            idle.removeAll { $0 === connection }
            leased.append(connection)
        case .wait(let orders):
            waiting.insert(waiter, at: isAgain ? waiting.count(where: \.isAgain) : waiting.count)
            carryOut(orders)
        case .refuse:
            if isAgain { complaints.append("refuses one who is served again") }
            if hadIdle { complaints.append("refuses one where there was an idle connection") }
        }
    }

    private mutating func open(_ index: Int) {
        let attempt = attempts.remove(at: index)
        let connection = Connection()
        let (waiter, orders) = state.opened(attempt.number, connection)
        if let waiter { serve(waiter, connection) } else { idle.append(connection) }
        carryOut(orders)
    }

    /// Opens a connection that only the waiter which relies on it may use.
    private mutating func openForReliant() {
        guard let index = attempts.lastIndex(where: { $0.reliant != nil }) else { return }
        let attempt = attempts.remove(at: index)
        let orders = state.openedForReliant(attempt.number)
        waiting.removeAll { $0 === attempt.reliant }
        leased.append(Connection())
        carryOut(orders)
    }

    private mutating func fail(_ index: Int, isFinal: Bool) {
        let attempt = attempts.remove(at: index)
        let (bearer, orders) = state.failedToOpen(attempt.number, isFinal: isFinal)
        let expected = isFinal || !attempt.isInherited ? attempt.reliant : nil
        if bearer !== expected { complaints.append("the wrong one bears it") }
        waiting.removeAll { $0 === bearer }
        carryOut(orders)
        openMissing()
    }

    private mutating func release(_ index: Int, _ isPassedOver: Bool = false) {
        let connection = leased.remove(at: index)
        connection.hasBeenUsed = true
        switch isPassedOver ? state.passedOver(connection) : state.released(connection) {
        case .serve(let waiter, let orders):
            if isPassedOver { complaints.append("serves one that is passed over") }
            serve(waiter, connection)
            carryOut(orders)
        case .keep: idle.append(connection)
        case .replace(let orders): carryOut(orders)
        }
    }

    private mutating func lose(_ index: Int, opensAtOnce: Bool) {
        leased.remove(at: index)
        state.lostLeased()
        if opensAtOnce { openMissing() } else { isMissing = true }
    }

    private mutating func openMissing() {
        isMissing = false
        while let new = state.nextToOpen() {
            attempts.append(Attempt(number: new.number, reliant: new.waiter))
        }
    }

    private mutating func loseIdle(_ index: Int) {
        state.lostIdle(idle.remove(at: index))
    }

    private mutating func cancel(_ waiter: Waiter) {
        waiting.removeAll { $0 === waiter }
        leave(waiter)
        switch state.cancel(waiter) {
        case .absent: complaints.append("does not know who waits")
        case .removed(let orders): carryOut(orders)
        case .superfluous(let number):
            if !attempts.contains(where: { $0.number == number && $0.reliant == nil }) {
                complaints.append("gives up what a waiter wants")
            }
            attempts.removeAll { $0.number == number }
        }
    }

    private mutating func carryOut(_ orders: PoolState<Connection, Waiter>.Orders) {
        if let connection = orders.closes {
            if connection !== idle.first { complaints.append("not the oldest") }
            idle.removeAll { $0 === connection }
        }
        if let heir = orders.inherits {
            leave(heir.waiter)
            guard let index = attempts.firstIndex(where: { $0.number == heir.number }) else {
                return complaints.append("leaves what there is not")
            }
            attempts[index].reliant = heir.waiter
            attempts[index].isInherited = true
        }
        if let new = orders.opens {
            attempts.append(Attempt(number: new.number, reliant: new.waiter))
        }
    }

    private mutating func leave(_ waiter: Waiter) {
        for index in attempts.indices where attempts[index].reliant === waiter { attempts[index].reliant = nil }
    }

    private mutating func serve(_ waiter: Waiter, _ connection: Connection) {
        if waiter.isAgain, connection.hasBeenUsed { complaints.append("a used connection for one who is served again") }
        // A connection that was used passes over the waiters that are served again, and no others.
        let first = waiting.first { !$0.isAgain || !connection.hasBeenUsed }
        if first !== waiter { complaints.append("\(waiter.number) before \(first?.number ?? 0)") }
        waiting.removeAll { $0 === waiter }
        leave(waiter)
        leased.append(connection)
    }

    private mutating func check() {
        let count = attempts.count + idle.count + leased.count
        if count > limit { complaints.append("\(count) connections where \(limit) are allowed") }
        if !isMissing, attempts.count < waiting.count, count < limit { complaints.append("waits without need") }
        if !idle.isEmpty, attempts.count < waiting.count { complaints.append("waits beside an idle connection") }
        if state.isEmpty != (count == 0 && waiting.isEmpty) { complaints.append("wrong about being empty") }
        checkReliance()
    }

    /// The first waiters rely on the connections being opened, one each.
    private mutating func checkReliance() {
        let reliant = waiting.prefix { waiter in attempts.contains { $0.reliant === waiter } }
        if reliant.count != attempts.count(where: { $0.reliant != nil }) { complaints.append("others rely on them") }
        if !isMissing, reliant.count < min(attempts.count, waiting.count) { complaints.append("relies on none") }
        if state.firstIdle !== waiting.dropFirst(reliant.count).first { complaints.append("not who relies on none") }
        if state.firstNew !== waiting.first(where: { !$0.isAgain }) { complaints.append("not the first new one") }
    }
}
