// SPDX-License-Identifier: Apache-2.0

/// Repeats a hop when a kept-alive connection was lost before a response. ``RepeatRule`` decides when that is safe.
struct Repeats: HopPolicy {
    let rule: RepeatRule

    let interests = HopInterests.failures

    func decide(on failure: HopFailure, _ history: inout TaskHistory) -> HopRecovery {
        guard case .lost(let evidence) = failure, rule.repeats(history.evidence(evidence)) else { return .pass }
        history.repeatCount += 1
        return .again
    }
}
