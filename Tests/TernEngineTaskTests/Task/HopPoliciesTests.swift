// SPDX-License-Identifier: Apache-2.0
import TernLock
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct HopPoliciesTests {
    private struct Policy: HopPolicy {
        let interests: HopInterests
        let name: String
    }

    private func names(_ policies: [any HopPolicy]) -> [String] { policies.compactMap { ($0 as? Policy)?.name } }

    @Test func `a policy is called for what it takes part in, in the order of the list`() {
        let policies = HopPolicies([
            Policy(interests: .unsuccessfulHeads, name: "a"),
            Policy(interests: [.preparation, .failures], name: "b"),
            Policy(interests: [.preparation, .unsuccessfulHeads], name: "c"),
        ])
        #expect(names(policies.preparing) == ["b", "c"])
        #expect(names(policies.reading) == ["a", "c"])
        #expect(names(policies.recovering) == ["b"])
        #expect(policies.readingAll.isEmpty)
    }

    @Test func `one policy that reads all heads is enough`() {
        let policies = HopPolicies([
            Policy(interests: .unsuccessfulHeads, name: "a"), Policy(interests: .allHeads, name: "b"),
        ])
        #expect(!policies.readingAll.isEmpty)
        #expect(names(policies.reading) == ["a", "b"])
    }

    /// Lets hops depart, or fails them, and learns from failures.
    private final class Gate: HopPolicy {
        let interests: HopInterests = [.departure, .failures]
        let log = Lock<[String]>([])
        private let refusal: SessionError.Reason?

        init(_ refusal: SessionError.Reason? = nil) { self.refusal = refusal }

        func depart(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
            log.withLock { $0.append("departs") }
            return refusal.map { .fail($0) } ?? .ready
        }

        func learn(_ failure: AttemptFailure, _ history: inout TaskHistory) {
            log.withLock { $0.append("learns \(failure.reason.kind)") }
        }
    }

    private struct Patience: HopPolicy {
        let interests = HopInterests.failures

        func decide(on failure: AttemptFailure, _ history: inout TaskHistory) -> HopRecovery {
            .retry(RetryMetrics(number: 1, cause: .failure(failure.reason), time: .now, delay: .seconds(1)))
        }
    }

    @Test func `each time that a hop departs is asked for, without a source too, and each failure is learned from`()
        throws
    {
        let gate = Gate()
        var machine = TaskMachine(
            try URLRequest(string: "http://a.test/"), policies: HopPolicies([Patience(), gate]))
        _ = machine.start()
        let words = [
            machine.begin().word, machine.failed(.timedOut(.head), Evidence(isSent: true)).word,
            machine.answered(.retry).word, machine.delayEnded().word,
        ]
        #expect(words == ["send", "ask to retry timed-out", "delay 1.0 seconds", "send"])
        #expect(gate.log.withLock { $0 } == ["departs", "learns timed-out", "departs"])
    }

    @Test func `a hop that may not depart has failed as an attempt does`() throws {
        let gate = Gate(.timedOut(.head))
        var machine = TaskMachine(
            try URLRequest(string: "http://a.test/"), policies: HopPolicies([Patience(), gate]))
        _ = machine.start()
        let words = [machine.begin().word, machine.failed(.timedOut(.head), Evidence()).word]
        #expect(words == ["refuse timed-out", "ask to retry timed-out"])
        #expect(gate.log.withLock { $0 } == ["departs", "learns timed-out"])
    }
}
