// SPDX-License-Identifier: Apache-2.0
import TernTLS

/// One handshake's questions about revocation: asked elsewhere, answered on its loop's thread, and bounded in time as a
/// whole, so that a silent responder leaves time to connect.
final class RevocationInquiry {
    private let shard: SessionShard
    private var deadline: ContinuousClock.Instant?

    init(shard: SessionShard) { self.shard = shard }

    /// Calls `completion` once, later, on the loop's thread; with no answers when time is up, and not at all when the session
    /// is gone.
    func ask(
        _ questions: [RevocationQuestion], completion: @escaping (RevocationFetcher.Answers) -> Void
    ) {
        let limit = min(RevocationFetcher.timeLimit, shard.configuration.timeouts.connect / 2)
        let deadline = deadline ?? .now + limit
        self.deadline = deadline
        // Only ever called on the loop's thread, from which it comes.
        nonisolated(unsafe) let completion = completion
        shard.trust.revocation.ask(questions, until: deadline) { [weak shard] answers in
            shard?.perform { _ in unsafe completion(answers) }
        }
    }

    func distrust(_ questions: [RevocationQuestion]) {
        if !questions.isEmpty { shard.trust.revocation.distrust(questions) }
    }
}
