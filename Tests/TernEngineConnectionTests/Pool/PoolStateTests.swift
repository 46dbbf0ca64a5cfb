// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct PoolStateTests {
    @Test func `opens up to the limit, then lets wait`() {
        var pool = Dialogue(limit: 2)
        #expect(pool.ask("a") == "open for a")
        #expect(pool.ask("b") == "open for b")
        #expect(pool.ask("c") == "wait")
        #expect(pool.opened(1) == "serve a")
        #expect(pool.opened(2) == "serve b")
        #expect(pool.released(2) == "serve c")
        #expect(pool.released(1) == "keep")
        #expect(pool.state.isEmpty == false)
    }

    @Test func `uses the warmest connection first`() {
        var pool = Dialogue(limit: 2)
        for (number, name) in [(1, "a"), (2, "b")] {
            _ = pool.ask(name)
            _ = pool.opened(number)
        }
        #expect(pool.released(1) == "keep")
        #expect(pool.released(2) == "keep")
        #expect(pool.state.mostRecent?.name == "2")
        #expect(pool.ask("c") == "use 2")
        #expect(pool.ask("d") == "use 1")
        #expect(pool.state.mostRecent == nil)
    }

    @Test func `serves first come, first served`() {
        var pool = Dialogue(limit: 1)
        #expect(pool.ask("a") == "open for a")
        for name in ["b", "c", "d"] { #expect(pool.ask(name) == "wait") }
        #expect(pool.opened(1) == "serve a")
        for name in ["b", "c", "d"] { #expect(pool.released(1) == "serve \(name)") }
    }

    @Test func `refuses one more than may wait, not counting those a connection is opened for`() {
        var pool = Dialogue(limit: 2, queueLimit: 1)
        #expect(pool.ask("a") == "open for a")
        #expect(pool.ask("b") == "open for b")
        #expect(pool.ask("c") == "wait")
        #expect(pool.ask("d") == "refuse at 1")
        #expect(pool.opened(1) == "serve a")
        #expect(pool.released(1) == "serve b, c inherits b's")
        #expect(pool.ask("e") == "wait")
        #expect(pool.opened(2) == "serve c")
        #expect(pool.ask("f") == "refuse at 1")
    }

    @Test func `a queue of none still opens connections`() {
        var pool = Dialogue(limit: 1, queueLimit: 0)
        #expect(pool.ask("a") == "open for a")
        #expect(pool.ask("b") == "refuse at 0")
        #expect(pool.opened(1) == "serve a")
        #expect(pool.released(1) == "keep")
        #expect(pool.ask("c") == "use 1")
    }

    @Test func `a waiter that is served again gets a fresh connection, in place of the oldest`() {
        var pool = Dialogue(limit: 2)
        for (number, name) in [(1, "a"), (2, "b")] {
            _ = pool.ask(name)
            _ = pool.opened(number)
        }
        _ = pool.released(1)
        _ = pool.released(2)
        #expect(pool.ask("p", isAgain: true) == "replace 1 for p")
        #expect(pool.ask("c") == "use 2")
        #expect(pool.opened(3) == "serve p")
    }

    @Test func `one that must not meet a close gets a new connection, and waits behind others`() {
        var pool = Dialogue(limit: 2, queueLimit: 1)
        _ = pool.ask("a")
        _ = pool.opened(1)
        _ = pool.released(1)
        #expect(pool.ask("b", isCareful: true) == "open for b")
        #expect(pool.ask("c") == "use 1")
        #expect(pool.ask("d", isCareful: true) == "wait")
        #expect(pool.ask("e", isCareful: true) == "refuse at 1")
        #expect(pool.opened(2) == "serve b")
        #expect(pool.released(1) == "serve d")
        #expect(pool.released(2) == "keep")
        #expect(pool.released(1) == "keep")
        // In place of the one that has been idle longest.
        #expect(pool.ask("f", isCareful: true) == "replace 2 for f")
        #expect(pool.state.oldestIdle?.name == "1")
    }

    @Test func `it gets one although no other may wait`() {
        var pool = Dialogue(limit: 1, queueLimit: 0)
        _ = pool.ask("a")
        _ = pool.opened(1)
        _ = pool.released(1)
        #expect(pool.ask("b", isCareful: true) == "replace 1 for b")
        #expect(pool.ask("c", isCareful: true) == "refuse at 0")
        #expect(pool.opened(2) == "serve b")
    }

    @Test func `it is passed over by a connection that it must not use`() {
        var pool = Dialogue(limit: 2)
        _ = pool.ask("a")
        _ = pool.opened(1)
        #expect(pool.ask("b") == "open for b")
        #expect(pool.ask("c") == "wait")
        #expect(pool.passedOver(1) == "replace for c")
        #expect(pool.opened(2) == "serve b")
        // Each waiter relies on a connection: this one is for later.
        #expect(pool.passedOver(2) == "keep")
        #expect(pool.ask("d") == "use 2")
        #expect(pool.opened(3) == "serve c")
    }

    @Test func `who is served again comes before all others, and takes what was being opened for the last of them`() {
        var pool = Dialogue(limit: 1)
        _ = pool.ask("a")
        #expect(pool.opened(1) == "serve a")
        #expect(pool.ask("b") == "wait")
        #expect(pool.lostLeased(1) == "open for b")
        #expect(pool.ask("a", isAgain: true) == "a inherits b's")
        #expect(pool.opened(2) == "serve a")
        #expect(pool.released(2) == "serve b")
    }

    @Test func `those who are served again keep their order, and their right when the queue is full`() {
        var pool = Dialogue(limit: 2, queueLimit: 1)
        for (number, name) in [(1, "a"), (2, "b")] {
            _ = pool.ask(name)
            _ = pool.opened(number)
        }
        #expect(pool.ask("c") == "wait")
        #expect(pool.ask("d") == "refuse at 1")
        #expect(pool.lostLeased(1, opensLater: true) == "")
        #expect(pool.ask("a", isAgain: true) == "open for a")
        #expect(pool.lostLeased(2, opensLater: true) == "")
        #expect(pool.ask("b", isAgain: true) == "open for b")
        #expect(pool.opened(3) == "serve a")
        #expect(pool.opened(4) == "serve b")
        #expect(pool.released(3) == "serve c")
    }

    @Test func `who is served again at the head is not passed over for ever`() {
        var pool = Dialogue(limit: 1)
        _ = pool.ask("a")
        _ = pool.opened(1)
        #expect(pool.ask("b") == "wait")
        #expect(pool.ask("p", isAgain: true) == "wait")
        #expect(pool.released(1) == "replace for p")
        #expect(pool.opened(2) == "serve p")
        #expect(pool.released(2) == "serve b")
    }

    @Test func `the one a connection was opened for bears its failure`() {
        var pool = Dialogue(limit: 2)
        _ = pool.ask("a")
        _ = pool.ask("b")
        #expect(pool.ask("c") == "wait")
        #expect(pool.failedToOpen(for: "b") == "b fails, open for c")
        #expect(pool.failedToOpen(for: "a") == "a fails")
        #expect(pool.opened(1) == "serve c")
    }

    @Test func `a failure for a waiter that is served already costs no other anything`() {
        var pool = Dialogue(limit: 2)
        _ = pool.ask("a")
        _ = pool.ask("b")
        #expect(pool.opened(1, for: "b") == "serve a, b inherits a's")
        #expect(pool.failedToOpen(for: "a") == "open for b")
        #expect(pool.failedToOpen(for: "b") == "b fails")
    }

    @Test func `a connection for one waiter only is used by who relies on it, and not by who is served next`() {
        var pool = Dialogue(limit: 2)
        _ = pool.ask("a")
        _ = pool.ask("b")
        #expect(pool.ask("c") == "wait")
        #expect(pool.openedForReliant(of: "b") == "")
        #expect(pool.cancel("b") == "absent")
        #expect(pool.opened(1, for: "a") == "serve a")
        #expect(pool.lostLeased(1) == "open for c")
    }

    @Test func `a waiter that inherits a pending connection bears it when its own time is up`() {
        var pool = Dialogue(limit: 1)
        _ = pool.ask("a")
        #expect(pool.ask("b") == "wait")
        #expect(pool.cancel("a") == "b inherits a's")
        #expect(pool.failedToOpen(for: "a", isFinal: true) == "b fails")
        #expect(pool.state.isEmpty == true)
    }

    @Test func `a waiter that gives up leaves its pending connection to the next, or ends it`() {
        var pool = Dialogue(limit: 2)
        _ = pool.ask("a")
        _ = pool.ask("b")
        _ = pool.ask("c")
        #expect(pool.cancel("a") == "c inherits a's")
        #expect(pool.cancel("a") == "absent")
        #expect(pool.cancel("b") == "give up b's")
        #expect(pool.opened(1) == "serve c")
        #expect(pool.ask("d") == "open for d")
        #expect(pool.cancel("d") == "give up d's")
        #expect(pool.lostLeased(1) == "")
        #expect(pool.state.isEmpty == true)
    }

    @Test func `a waiter that comes while a spare connection is pending waits for that`() {
        var pool = Dialogue(limit: 2)
        _ = pool.ask("a")
        _ = pool.opened(1)
        #expect(pool.ask("b") == "open for b")
        #expect(pool.released(1) == "serve b")
        #expect(pool.ask("c") == "c inherits b's")
        #expect(pool.opened(2) == "serve c")
    }

    @Test func `a thousand who give up before their connection is replaced need none`() {
        var pool = Dialogue(limit: 1, queueLimit: 1000)
        _ = pool.ask("a")
        _ = pool.opened(1)
        for number in 0..<1000 { #expect(pool.ask("w\(number)") == "wait") }
        #expect(pool.lostLeased(1, opensLater: true) == "")
        for number in 0..<1000 { #expect(pool.cancel("w\(number)") == "removed") }
        #expect(pool.state.isEmpty == true)
        #expect(pool.state.nextToOpen() == nil)
    }

    @Test func `forgets an idle connection that is gone`() {
        var pool = Dialogue(limit: 1)
        _ = pool.ask("a")
        _ = pool.opened(1)
        _ = pool.released(1)
        pool.lostIdle(1)
        #expect(pool.state.isEmpty == true)
        #expect(pool.ask("b") == "open for b")
    }

    @Test func `gives back those who wait, one by one, when it is drained`() {
        var pool = Dialogue(limit: 1)
        for name in ["a", "b", "c"] { _ = pool.ask(name) }
        #expect((0..<4).map { _ in pool.state.drainNext()?.name } == ["a", "b", "c", nil])
        pool.state.drainIdle()
        #expect(pool.state.mostRecent == nil)
    }

    /// Random events against everything that must hold after each of them.
    @Test(arguments: 1...40) func `keeps its promises through any order of events`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var model = PoolModel(
            limit: Int.random(in: 1...4, using: &generator), queueLimit: Int.random(in: 0...8, using: &generator))
        for _ in 0..<2000 { model.step(using: &generator) }
        model.finish()
        #expect(model.complaints == [])
    }
}

/// Says what a pool answers in words, so that a test reads as a dialogue.
private struct Dialogue: ~Copyable {
    final class Party: IntrusiveQueueElement {
        let name: String
        var queueIndex: Int32 = -1
        init(_ name: String) { self.name = name }
    }

    private typealias Orders = PoolState<Party, Party>.Orders

    var state: PoolState<Party, Party>
    private var parties: [String: Party] = [:]
    /// The pending connections, and the waiter that each was begun for.
    private var pending: [(number: Int, name: String)] = []

    init(limit: Int, queueLimit: Int = 100) { state = PoolState(permits: limit, queueLimit: queueLimit) }

    mutating func ask(_ name: String, isAgain: Bool = false, isCareful: Bool = false) -> String {
        switch state.acquire(party(name), isAgain ? .repeated : isCareful ? .careful : .new) {
        case .use(let connection): return "use \(connection.name)"
        case .wait(let orders):
            let words = say(orders)
            return words.isEmpty ? "wait" : words
        case .refuse(let limit): return "refuse at \(limit)"
        }
    }

    /// The oldest pending one, if none is named.
    mutating func opened(_ connection: Int, for name: String? = nil) -> String {
        guard let number = take(name) else { return "nothing is pending" }
        let (waiter, orders) = state.opened(number, party("\(connection)"))
        guard let waiter else { return "keep" }
        return join("serve \(waiter.name)", orders)
    }

    mutating func openedForReliant(of name: String) -> String {
        guard let number = take(name) else { return "nothing is pending" }
        return say(state.openedForReliant(number))
    }

    mutating func released(_ number: Int) -> String { say(state.released(party("\(number)"))) }

    mutating func passedOver(_ number: Int) -> String { say(state.passedOver(party("\(number)"))) }

    private mutating func say(_ placement: PoolState<Party, Party>.Placement) -> String {
        switch placement {
        case .serve(let waiter, let orders): join("serve \(waiter.name)", orders)
        case .keep: "keep"
        case .replace(let orders): "replace" + say(orders).dropFirst("open".count)
        }
    }

    mutating func failedToOpen(for name: String, isFinal: Bool = false) -> String {
        guard let number = take(name) else { return "nothing is pending" }
        let (bearer, orders) = state.failedToOpen(number, isFinal: isFinal)
        let words = join(bearer.map { "\($0.name) fails" } ?? "", orders)
        return join(words, Orders(opens: state.nextToOpen()))
    }

    mutating func lostLeased(_ number: Int, opensLater: Bool = false) -> String {
        state.lostLeased()
        return opensLater ? "" : say(Orders(opens: state.nextToOpen()))
    }

    mutating func lostIdle(_ number: Int) { state.lostIdle(party("\(number)")) }

    mutating func cancel(_ name: String) -> String {
        switch state.cancel(party(name)) {
        case .absent: return "absent"
        case .removed(let orders): return orders.inherits == nil ? "removed" : say(orders)
        case .superfluous(let number):
            let name = self.name(of: number)
            pending.removeAll { $0.number == number }
            return "give up \(name)'s"
        }
    }

    private mutating func say(_ orders: Orders) -> String {
        let inheritance = orders.inherits.map { "\($0.waiter.name) inherits \(name(of: $0.number))'s" }
        let opening = orders.opens.map { new in
            pending.append((new.number, new.waiter.name))
            return (orders.closes.map { "replace \($0.name)" } ?? "open") + " for \(new.waiter.name)"
        }
        return [inheritance, opening].compactMap(\.self).joined(separator: ", ")
    }

    private mutating func join(_ words: String, _ orders: Orders) -> String {
        [words, say(orders)].filter { !$0.isEmpty }.joined(separator: ", ")
    }

    private func name(of number: Int) -> String { pending.first { $0.number == number }?.name ?? "none" }

    private mutating func take(_ name: String?) -> Int? {
        guard let index = pending.firstIndex(where: { name == nil || $0.name == name }) else { return nil }
        return pending.remove(at: index).number
    }

    private mutating func party(_ name: String) -> Party {
        if let party = parties[name] { return party }
        let party = Party(name)
        parties[name] = party
        return party
    }
}
