// SPDX-License-Identifier: Apache-2.0
import TernIO
import Testing

@testable import TernEngine

@Suite struct ReconnectionTests {
    private static let lost = SessionError(.transfer(.connectionLost(nil)), phase: .body)
    private static let refused = SessionError(.transfer(.upgradeNotTaken), phase: .head)

    /// What is done next, in a word.
    private static func word(_ next: Reconnection.Next) -> String {
        switch next {
        case .ask(let delay): "ask after \(delay / .milliseconds(1))"
        case .end: "end"
        case .fail(let error): "fail: \(error.reason.kind)"
        }
    }

    @Test func `a stream that ends is taken up again after what the server says`() {
        var machine = Reconnection(ReconnectionPolicy())
        machine.opened()
        #expect(Self.word(machine.ended(nil, retry: nil)) == "ask after 3000.0")
        machine.opened()
        #expect(Self.word(machine.ended(Self.lost, retry: 500)) == "ask after 500.0")
        machine.opened()
        #expect(Self.word(machine.ended(Self.lost, retry: 0)) == "ask after 100.0")
        machine.opened()
        #expect(Self.word(machine.ended(Self.lost, retry: .max)) == "ask after 3600000.0")
    }

    @Test func `the wait doubles from one failed attempt to the next, up to a limit, and restarts with a stream`() {
        var machine = Reconnection(ReconnectionPolicy())
        machine.opened()
        let waits = (0..<7).map { _ in Self.word(machine.ended(Self.lost, retry: nil)) }
        #expect(waits == [3, 6, 12, 24, 48, 60, 60].map { "ask after \($0)000.0" })
        machine.opened()
        #expect(Self.word(machine.ended(nil, retry: 120_000)) == "ask after 120000.0")
        #expect(Self.word(machine.ended(Self.lost, retry: 120_000)) == "ask after 120000.0")
    }

    @Test func `what fails at first fails, and so does what cannot be better next time`() {
        var first = Reconnection(ReconnectionPolicy())
        #expect(Self.word(first.ended(Self.lost, retry: nil)) == "fail: connection-lost")
        for (reason, word) in [
            (SessionError.Reason.cancelled, "fail: cancelled"), (.sessionInvalidated, "fail: session-invalidated"),
            (.timedOut(.total), "fail: timed-out"), (.timedOut(.idle), "ask after 3000.0"),
            (.transfer(.upgradeNotTaken), "fail: upgrade-not-taken"),
        ] {
            var machine = Reconnection(ReconnectionPolicy())
            machine.opened()
            #expect(Self.word(machine.ended(SessionError(reason, phase: .body), retry: nil)) == word)
        }
    }

    @Test func `attempts are limited, or forbidden`() {
        var policy = ReconnectionPolicy()
        policy.maximumAttempts = 2
        var machine = Reconnection(policy)
        machine.opened()
        #expect(Self.word(machine.ended(nil, retry: nil)) == "ask after 3000.0")
        #expect(Self.word(machine.ended(Self.lost, retry: nil)) == "ask after 6000.0")
        #expect(Self.word(machine.ended(Self.lost, retry: nil)) == "fail: connection-lost")
        var never = Reconnection(.never)
        never.opened()
        #expect(Self.word(never.ended(nil, retry: 1)) == "end")
        #expect(Self.word(never.ended(nil, retry: 1)) == "end")
        var broken = Reconnection(.never)
        broken.opened()
        #expect(Self.word(broken.ended(Self.lost, retry: 1)) == "fail: connection-lost")
    }

    @Test func `a server that answers 204 is not asked again`() {
        var machine = Reconnection(ReconnectionPolicy())
        machine.opened()
        _ = machine.ended(nil, retry: nil)
        machine.dismissed()
        #expect(Self.word(machine.ended(nil, retry: nil)) == "end")
    }
}
