// SPDX-License-Identifier: Apache-2.0

/// The part of an evaluation that would block the handshake's thread for too long. It does not wait for anything, its
/// work is bounded (see ``EvaluationLimit``), and it calls no closures of the user.
public final class PendingEvaluation: Sendable {
    private let evaluation: PolicyEvaluation
    private let policy: ServerTrustPolicy

    init(_ evaluation: PolicyEvaluation, of policy: ServerTrustPolicy) {
        self.evaluation = evaluation
        self.policy = policy
    }

    /// Does the work, on any thread; pass the result to `TLSSession.take`.
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
