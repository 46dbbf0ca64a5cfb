// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
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

    @Test func `what is held back here, or what a proxy could not do now, is asked for when it may pass`() throws {
        let origin = try URLRequest(string: "http://a.test/").destination.get().origin
        func open(_ delay: Duration) -> SessionError.ConnectingFailure {
            let probe = MonotonicInstant.now.advanced(by: delay)
            return .circuitOpen(OpenCircuit(origin, nextProbe: probe, delay: delay, isHalfOpen: false))
        }
        func refused(_ status: Int, _ wait: Int? = nil) throws -> SessionError.ConnectingFailure {
            let fields: HeaderFields = wait.map { ["Retry-After": "\($0)"] } ?? [:]
            return .proxy(.refused(ProxyRefusal(head: try ResponseHead(status: status, fields: fields), body: [])))
        }
        let table: [(SessionError.ConnectingFailure, String)] = [
            (open(.seconds(1)), "ask after 3000.0"), (open(.seconds(7)), "ask after 7000.0"),
            (open(.seconds(7200)), "ask after 3600000.0"), (.queueFull(limit: 1), "ask after 3000.0"),
            (try refused(503), "ask after 3000.0"), (try refused(429, 9), "ask after 9000.0"),
            (try refused(503, 86400), "ask after 3600000.0"), (try refused(403), "fail: proxy"),
            (try refused(407), "fail: proxy"), (.proxy(.closed), "ask after 3000.0"),
            (.proxy(.credentialRefused), "fail: proxy"),
            (.proxy(.refusedBySOCKS(version: 5, code: 4)), "ask after 3000.0"),
            (.proxy(.refusedBySOCKS(version: 5, code: 2)), "fail: proxy"),
        ]
        for (failure, word) in table {
            var machine = Reconnection(ReconnectionPolicy())
            machine.opened()
            let error = SessionError(.connecting(failure), phase: .connect)
            #expect(Self.word(machine.ended(error, retry: nil)) == word, "\(failure)")
        }
    }

    @Test func `the session retries the first request, and its policy says which answers are followed by others`()
        throws
    {
        let busy = try ResponseHead(status: 503, fields: ["Retry-After": "5"])
        let error = SessionError(.transfer(.unreadable(.notEvents(status: 503, contentType: nil))), phase: .body)
        for (retries, word) in [
            (RetryPolicy.standard, "ask after 5000.0"), (.lostConnections, "fail: not-events"),
        ] {
            var machine = Reconnection(ReconnectionPolicy(), retries)
            #expect(machine.retryPolicy == retries)
            machine.opened()
            #expect(machine.retryPolicy.maximumRetries == 0)
            #expect(Self.word(machine.ended(error, answer: busy, retry: nil)) == word)
        }
        var first = Reconnection(ReconnectionPolicy(), .standard)
        #expect(Self.word(first.ended(error, answer: busy, retry: nil)) == "fail: not-events")
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
