// SPDX-License-Identifier: Apache-2.0

/// What became of a ``PendingEvaluation``.
public struct CompletedEvaluation: Sendable {
    let evaluation: PolicyEvaluation
    let pending: PendingEvaluation
}
