// SPDX-License-Identifier: Apache-2.0
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// A policy that looks something up for every hop.
private final class LookupPolicy: HopPolicy {
    let started = Lock(0)
    let cancelled = Lock(0)
    let answers: Bool
    let interests = HopInterests.preparation

    init(answers: Bool) { self.answers = answers }

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        .lookUp { [self] completion in
            started.withLock { $0 += 1 }
            if answers { completion(.ready) }
            return { self.cancelled.withLock { $0 += 1 } }
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct LookupTests {
    @Test(arguments: ["answered", "cancelled", "timed-out", "session-invalidated"])
    func `a lookup is cancelled once, when the wait for it is over`(reason: String) async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let policy = LookupPolicy(answers: reason == "answered")
        let holder = SessionHolder(
            .limited(hopPolicies: [policy]) {
                if reason == "timed-out" { $0.timeouts.total = .milliseconds(100) }
            })
        let delegate = RecordingDelegate()
        let task = holder.session?.dataTask(with: try URLRequest(origin), delegate: delegate)
        task?.resume()
        #expect(await eventually { policy.started.withLock { $0 } == 1 })
        if reason == "cancelled" { task?.cancel() }
        if reason == "session-invalidated" { holder.drop() }
        #expect(await delegate.end().error?.reason.kind.rawValue == (reason == "answered" ? nil : reason))
        #expect(policy.started.withLock { $0 } == 1 && policy.cancelled.withLock { $0 } == 1)
    }
}
