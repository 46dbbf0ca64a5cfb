// SPDX-License-Identifier: Apache-2.0

/// Sends a hop once more when a kept-alive connection was lost before it was answered. ``RepeatRule`` says when that
/// does no harm.
struct Repeats: HopPolicy {
    let rule: RepeatRule

    let interests = HopInterests.lostConnections

    func lostConnection(_ evidence: Evidence, _ history: inout TaskHistory) -> Bool {
        guard rule.repeats(history.evidence(evidence)) else { return false }
        history.repeatCount += 1
        return true
    }
}
