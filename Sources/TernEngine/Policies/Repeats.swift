// SPDX-License-Identifier: Apache-2.0

/// Repeats a hop when a kept-alive connection was lost before a response. ``RepeatRule`` decides when that is safe.
struct Repeats: HopPolicy {
    let rule: RepeatRule

    let interests = HopInterests.lostConnections

    func lostConnection(_ evidence: Evidence, _ history: inout TaskHistory) -> Bool {
        guard rule.repeats(history.evidence(evidence)) else { return false }
        history.repeatCount += 1
        return true
    }
}
