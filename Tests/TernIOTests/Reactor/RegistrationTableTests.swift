// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernIO

struct RegistrationTableTests {
    private final class Handler: ReadinessHandler {
        func ready(_ readiness: Readiness) {}
    }

    /// A table where expectations can look at it.
    private final class Desk {
        private var table = RegistrationTable()

        var count: Int { table.count }
        var tokens: [RegistrationToken] { table.tokens }
        func add(_ descriptor: Int32, _ handler: Handler = Handler()) -> RegistrationToken {
            table.add(descriptor, handler)
        }
        func remove(_ token: RegistrationToken) -> RegistrationTable.Registration? { table.remove(token) }
        func exchange(_ token: RegistrationToken, for handler: Handler) -> (any ReadinessHandler)? {
            table.exchangeHandler(of: token, for: handler)
        }
        func set(_ interest: Interest, for token: RegistrationToken) -> (old: Interest, descriptor: Int32)? {
            table.setInterest(interest, for: token)
        }
        func contains(_ token: RegistrationToken) -> Bool { table.contains(token) }
        func listener(_ token: RegistrationToken) -> (any ReadinessHandler)? { table.handler(toTell: token) }
        func handler(in slot: UInt32) -> (any ReadinessHandler)? { table.handler(in: slot) }
    }

    private let desk = Desk()

    @Test func `a token of a registration that has ended means nothing`() {
        let (handler, other) = (Handler(), Handler())
        let ended = desk.add(3, handler)
        #expect(desk.remove(ended)?.handler === handler)
        let successor = desk.add(4, other)
        #expect(successor.slot == ended.slot && successor != ended)
        #expect(!desk.contains(ended) && desk.contains(successor))
        #expect(desk.remove(ended) == nil)
        #expect(desk.set(.readable, for: ended) == nil)
        #expect(desk.exchange(ended, for: handler) == nil)
        #expect(desk.listener(ended) == nil)
        #expect(desk.handler(in: successor.slot) === other)
        #expect(desk.count == 1)
    }

    @Test func `an interest is changed once, and the previous one returned`() throws {
        let token = desk.add(7)
        #expect(desk.set([], for: token) == nil)
        #expect(try #require(desk.set(.readable, for: token)) == ([], 7))
        #expect(desk.set(.readable, for: token) == nil)
        #expect(try #require(desk.set([.readable, .writable], for: token)) == (.readable, 7))
        #expect(desk.remove(token)?.interest == [.readable, .writable])
    }

    @Test func `no handler is called without an interest`() {
        let (handler, next) = (Handler(), Handler())
        let token = desk.add(5, handler)
        #expect(desk.listener(token) == nil)
        _ = desk.set(.readable, for: token)
        #expect(desk.listener(token) === handler)
        #expect(desk.exchange(token, for: next) === handler)
        #expect(desk.listener(token) === next)
        _ = desk.set([], for: token)
        #expect(desk.listener(token) == nil)
    }

    @Test func `a handler is kept until its registration ends, and no longer`() {
        weak var handler: Handler?
        let token: RegistrationToken
        do {
            let kept = Handler()
            handler = kept
            token = desk.add(-1, kept)
        }
        #expect(handler != nil)
        _ = desk.remove(token)
        #expect(handler == nil)
        #expect(desk.count == 0 && desk.tokens.isEmpty)
    }

    @Test func `the tokens are those of all that are registered`() {
        let tokens = (0..<5).map { desk.add($0) }
        _ = desk.remove(tokens[1])
        _ = desk.remove(tokens[4])
        #expect(desk.tokens == [tokens[0], tokens[2], tokens[3]])
        #expect(desk.handler(in: 1) == nil && desk.handler(in: 99) == nil)
    }
}

@Suite struct RegistrationTokenTests {
    @Test func `a token survives the trip through epoll's 64 bits`() {
        for slot in [0, 1, 0x8000_0000, .max] as [UInt32] {
            for generation in [0, 1, 0x8000_0000, .max] as [UInt32] {
                let token = RegistrationToken(slot: slot, generation: generation)
                #expect(RegistrationToken(userData: token.userData) == token)
            }
        }
    }

    @Test func `slot and generation do not run into each other`() {
        let slot = RegistrationToken(slot: .max, generation: 0)
        let generation = RegistrationToken(slot: 0, generation: .max)
        #expect(slot.userData == 0x0000_0000_FFFF_FFFF)
        #expect(generation.userData == 0xFFFF_FFFF_0000_0000)
    }
}
