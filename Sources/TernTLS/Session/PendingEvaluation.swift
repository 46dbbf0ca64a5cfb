// SPDX-License-Identifier: Apache-2.0

/// The part of an evaluation that takes longer than the thread of a handshake should be kept busy. Nothing in it
/// blocks, and it is bounded: see ``EvaluationLimit``. Closures of the user's have no part in it.
public final class PendingEvaluation: Sendable {
    private let evaluation: PolicyEvaluation
    private let policy: ServerTrustPolicy

    init(_ evaluation: PolicyEvaluation, of policy: ServerTrustPolicy) {
        self.evaluation = evaluation
        self.policy = policy
    }

    /// Does the work. On any thread; what comes back is for `TLSSession.take`.
    public func run() -> CompletedEvaluation {
        var evaluation = evaluation
        evaluation.prepare(for: policy)
        return CompletedEvaluation(evaluation: evaluation, pending: self)
    }
}

extension PendingEvaluation: Hashable {
    public static func == (left: PendingEvaluation, right: PendingEvaluation) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
