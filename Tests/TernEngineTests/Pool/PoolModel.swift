// SPDX-License-Identifier: Apache-2.0
@testable import TernEngine

/// Does what a pool says, in the simplest way, and complains when the pool breaks a promise.
struct PoolModel: ~Copyable {
    final class Connection {
        var hasBeenUsed = false
    }

    final class Waiter {
        let number: Int
        let isPicky: Bool

        init(number: Int, isPicky: Bool) {
            self.number = number
            self.isPicky = isPicky
        }
    }

    private(set) var complaints: [String] = []
    private var state: PoolState<Connection, Waiter>
    private let limit: Int
    private var attempts: [Waiter] = []
    private var idle: [Connection] = []
    private var leased: [Connection] = []
    private var waiting: [Waiter] = []
    private var nextNumber = 0

    init(limit: Int, queueLimit: Int) {
        self.limit = limit
        state = PoolState(connectionLimit: limit, queueLimit: queueLimit)
    }

    mutating func step(using generator: inout SeededGenerator) {
        switch Int.random(in: 0..<16, using: &generator) {
        case 0..<6: ask(isPicky: Int.random(in: 0..<4, using: &generator) == 0)
        case 6..<8: if !attempts.isEmpty { open(Int.random(in: attempts.indices, using: &generator)) }
        case 8: if !attempts.isEmpty { fail(Int.random(in: attempts.indices, using: &generator)) }
        case 9..<13: if !leased.isEmpty { release(Int.random(in: leased.indices, using: &generator)) }
        case 13: if !leased.isEmpty { lose(Int.random(in: leased.indices, using: &generator)) }
        case 14: if !idle.isEmpty { loseIdle(Int.random(in: idle.indices, using: &generator)) }
        default: if let waiter = waiting.randomElement(using: &generator) { cancel(waiter) }
        }
        check()
    }

    /// Lets everything under way go well: whoever waits has to be served.
    mutating func finish() {
        for _ in 0..<10_000 where !attempts.isEmpty || !leased.isEmpty {
            if attempts.isEmpty { release(0) } else { open(0) }
            check()
        }
        if !waiting.isEmpty { complaints.append("\(waiting.count) wait and nothing is under way") }
        while !idle.isEmpty { loseIdle(0) }
        if !state.isEmpty { complaints.append("not empty at the end") }
    }

    private mutating func ask(isPicky: Bool) {
        nextNumber += 1
        let waiter = Waiter(number: nextNumber, isPicky: isPicky)
        switch state.acquire(waiter, isPicky: isPicky) {
        case .use(let connection):
            if isPicky { complaints.append("a used connection for a picky one") }
            if connection !== idle.last { complaints.append("not the warmest") }
            idle.removeAll { $0 === connection }
            leased.append(connection)
        case .open:
            waiting.append(waiter)
            attempts.append(waiter)
        case .replace(let connection):
            if connection !== idle.first { complaints.append("not the oldest") }
            idle.removeAll { $0 === connection }
            waiting.append(waiter)
            attempts.append(waiter)
        case .wait: waiting.append(waiter)
        case .refuse: break
        }
    }

    private mutating func open(_ index: Int) {
        attempts.remove(at: index)
        let connection = Connection()
        if let waiter = state.opened(connection) { serve(waiter, connection) } else { idle.append(connection) }
    }

    private mutating func fail(_ index: Int) {
        let waiter = attempts.remove(at: index)
        let (isBorne, next) = state.failedToOpen(for: waiter)
        if isBorne != waiting.contains(where: { $0 === waiter }) { complaints.append("the wrong one bears it") }
        waiting.removeAll { $0 === waiter }
        if let next { attempts.append(next) }
    }

    private mutating func release(_ index: Int) {
        let connection = leased.remove(at: index)
        connection.hasBeenUsed = true
        switch state.released(connection) {
        case .serve(let waiter): serve(waiter, connection)
        case .keep: idle.append(connection)
        case .replace(let waiter): attempts.append(waiter)
        }
    }

    private mutating func lose(_ index: Int) {
        leased.remove(at: index)
        if let next = state.lostLeased() { attempts.append(next) }
    }

    private mutating func loseIdle(_ index: Int) {
        state.lostIdle(idle.remove(at: index))
    }

    private mutating func cancel(_ waiter: Waiter) {
        waiting.removeAll { $0 === waiter }
        switch state.cancel(waiter) {
        case .absent: complaints.append("does not know who waits")
        case .removed: break
        case .superfluous: attempts.removeLast()
        }
    }

    private mutating func serve(_ waiter: Waiter, _ connection: Connection) {
        if waiter.isPicky, connection.hasBeenUsed { complaints.append("a used connection for a picky one") }
        // A connection that was used passes over picky waiters; nobody else is passed over.
        let first = waiting.first { !$0.isPicky || !connection.hasBeenUsed }
        if first !== waiter { complaints.append("\(waiter.number) before \(first?.number ?? 0)") }
        waiting.removeAll { $0 === waiter }
        leased.append(connection)
    }

    private mutating func check() {
        let count = attempts.count + idle.count + leased.count
        if count > limit { complaints.append("\(count) connections where \(limit) are allowed") }
        if !waiting.isEmpty, attempts.count < waiting.count, count < limit { complaints.append("waits without need") }
        if !idle.isEmpty, attempts.count < waiting.count { complaints.append("waits beside an idle connection") }
        if state.isEmpty != (count == 0 && waiting.isEmpty) { complaints.append("wrong about being empty") }
    }
}
