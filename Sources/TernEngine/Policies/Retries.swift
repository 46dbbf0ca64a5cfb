// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO

/// Has a hop sent again after a failure that may be temporary, or a response that asks for it, as the request's
/// ``RetryPolicy`` says, or else the session's.
struct Retries: HopPolicy {
    private struct Memory: PolicyMemory {
        var count = RetryRule.Count()
    }

    let policy: RetryPolicy
    let budget = RetryBudget()
    let interests: HopInterests = [.unsuccessfulHeads, .failures]

    func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
        guard rule(for: history).isTemporary(.answered(status: head.status, wait: nil)) else { return .pass }
        let outcome = RetryRule.Outcome.answered(
            status: head.status, wait: RetryRule.wait(askedBy: head, now: Date().timeIntervalSince1970))
        guard let delay = retry(on: outcome, .status(head.status), history.evidenceOfAnswer, &history) else {
            return .pass
        }
        return .resend(history.request, after: delay)
    }

    func decide(on failure: AttemptFailure, _ history: inout TaskHistory) -> HopRecovery {
        guard
            let delay = retry(
                on: .failed(failure.reason), .failure(failure.reason), history.evidence(failure.evidence), &history)
        else { return .pass }
        return .resend(after: delay)
    }

    private func rule(for history: borrowing TaskHistory) -> RetryRule {
        RetryRule(history.hop.request.retryPolicy ?? policy)
    }

    /// Nil if there is none.
    private func retry(
        on outcome: RetryRule.Outcome, _ cause: RetryMetrics.Cause, _ facts: RetryRule.Facts,
        _ history: inout TaskHistory
    ) -> Duration? {
        let rule = rule(for: history)
        let (now, count) = (MonotonicInstant.now, history[Memory.self].count)
        let verdict = rule.verdict(
            on: outcome, isRepeatable: facts.isContentReplayable && rule.isSafeToRepeat(facts), count,
            elapsed: history.start.duration(to: now))
        guard case .retry(let delay) = verdict else { return nil }
        if let limits = rule.policy.budget, let host = history.hop.request.budgetKey,
            !budget.spend(on: host, share: limits.share, floor: limits.floor, at: now)
        {
            return nil
        }
        history[Memory.self].count.add(delay)
        history.append(RetryMetrics(number: count.retries + 1, cause: cause, time: now, delay: delay))
        return delay
    }
}
