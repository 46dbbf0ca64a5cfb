// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

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
        #expect(pool.state.warmest?.name == "2")
        #expect(pool.ask("c") == "use 2")
        #expect(pool.ask("d") == "use 1")
        #expect(pool.state.warmest == nil)
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
        #expect(pool.released(1) == "serve b")
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

    @Test func `a picky waiter gets a connection nobody has used, in place of the oldest`() {
        var pool = Dialogue(limit: 2)
        for (number, name) in [(1, "a"), (2, "b")] {
            _ = pool.ask(name)
            _ = pool.opened(number)
        }
        _ = pool.released(1)
        _ = pool.released(2)
        #expect(pool.ask("p", isPicky: true) == "replace 1 for p")
        #expect(pool.ask("c") == "use 2")
        #expect(pool.opened(3) == "serve p")
    }

    @Test func `a picky waiter behind others is not forgotten when they are served`() {
        var pool = Dialogue(limit: 1)
        _ = pool.ask("a")
        #expect(pool.opened(1) == "serve a")
        #expect(pool.ask("b") == "wait")
        #expect(pool.lostLeased(1) == "open for b")
        #expect(pool.ask("a", isPicky: true) == "wait")
        #expect(pool.opened(2) == "serve b")
        #expect(pool.released(2) == "replace for a")
        #expect(pool.opened(3) == "serve a")
    }

    @Test func `a picky waiter at the head is not passed over for ever`() {
        var pool = Dialogue(limit: 1)
        _ = pool.ask("a")
        _ = pool.opened(1)
        #expect(pool.ask("p", isPicky: true) == "wait")
        #expect(pool.ask("b") == "wait")
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

    @Test func `a failure for one who is served already costs nobody anything`() {
        var pool = Dialogue(limit: 2)
        _ = pool.ask("a")
        _ = pool.ask("b")
        #expect(pool.opened(1) == "serve a")
        #expect(pool.failedToOpen(for: "a") == "open for b")
        #expect(pool.failedToOpen(for: "b") == "b fails")
    }

    @Test func `who gives up takes the connection that was coming for nobody else with him`() {
        var pool = Dialogue(limit: 2)
        _ = pool.ask("a")
        _ = pool.ask("b")
        _ = pool.ask("c")
        #expect(pool.cancel("a") == "removed")
        #expect(pool.cancel("a") == "absent")
        #expect(pool.cancel("b") == "superfluous")
        #expect(pool.opened(1) == "serve c")
        #expect(pool.ask("d") == "open for d")
        #expect(pool.cancel("d") == "superfluous")
        #expect(pool.lostLeased(1) == "")
        #expect(pool.state.isEmpty == true)
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

    @Test func `gives back those who wait when it is drained`() {
        var pool = Dialogue(limit: 1)
        for name in ["a", "b", "c"] { _ = pool.ask(name) }
        #expect(pool.state.drain().map(\.name) == ["a", "b", "c"])
        #expect(pool.state.warmest == nil)
    }

    /// Random events against everything that has to hold after each of them.
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
    final class Party {
        let name: String
        init(_ name: String) { self.name = name }
    }

    var state: PoolState<Party, Party>
    private var parties: [String: Party] = [:]

    init(limit: Int, queueLimit: Int = 100) { state = PoolState(connectionLimit: limit, queueLimit: queueLimit) }

    mutating func ask(_ name: String, isPicky: Bool = false) -> String {
        switch state.acquire(party(name), isPicky: isPicky) {
        case .use(let connection): "use \(connection.name)"
        case .open: "open for \(name)"
        case .replace(let connection): "replace \(connection.name) for \(name)"
        case .wait: "wait"
        case .refuse(let limit): "refuse at \(limit)"
        }
    }

    mutating func opened(_ number: Int) -> String {
        state.opened(party("\(number)")).map { "serve \($0.name)" } ?? "keep"
    }

    mutating func released(_ number: Int) -> String {
        switch state.released(party("\(number)")) {
        case .serve(let waiter): "serve \(waiter.name)"
        case .keep: "keep"
        case .replace(let waiter): "replace for \(waiter.name)"
        }
    }

    mutating func failedToOpen(for name: String) -> String {
        let (isBorne, next) = state.failedToOpen(for: party(name))
        return [isBorne ? "\(name) fails" : nil, next.map { "open for \($0.name)" }].compactMap(\.self)
            .joined(separator: ", ")
    }

    mutating func lostLeased(_ number: Int) -> String { state.lostLeased().map { "open for \($0.name)" } ?? "" }

    mutating func lostIdle(_ number: Int) { state.lostIdle(party("\(number)")) }

    mutating func cancel(_ name: String) -> String { "\(state.cancel(party(name)))" }

    private mutating func party(_ name: String) -> Party {
        if let party = parties[name] { return party }
        let party = Party(name)
        parties[name] = party
        return party
    }
}
