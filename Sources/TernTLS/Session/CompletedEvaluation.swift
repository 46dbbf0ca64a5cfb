// SPDX-License-Identifier: Apache-2.0

/// The result of a ``PendingEvaluation``.
public struct CompletedEvaluation: Sendable {
    let evaluation: PolicyEvaluation
    let pending: PendingEvaluation
}
