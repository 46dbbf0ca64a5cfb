// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// Has a hop sent again after a failure that may be temporary, or a response that asks for it, as the request's
/// ``RetryPolicy`` says, or else the session's.
struct Retries: HopPolicy {
    let policy: RetryPolicy
    let budget = RetryBudget()
    let interests: HopInterests = [.unsuccessfulHeads, .failures]

    func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
        // Most heads ask for nothing: their fields are not read.
        guard rule(for: history).policy.statusCodes.contains(head.status) else { return .pass }
        let outcome = RetryRule.Outcome(of: head)
        guard let retry = retry(on: outcome, .status(head.status), history.evidenceOfAnswer, history) else {
            return .pass
        }
        return .ask(.retry(retry))
    }

    func decide(on failure: AttemptFailure, _ history: inout TaskHistory) -> HopRecovery {
        guard
            let retry = retry(
                on: RetryRule.Outcome(of: failure), .failure(failure.reason), history.evidence(failure.evidence),
                history)
        else { return .pass }
        return .retry(retry)
    }

    private func rule(for history: borrowing TaskHistory) -> RetryRule {
        RetryRule(history.hop.request.retryPolicy ?? policy)
    }

    /// Nil if there is none.
    private func retry(
        on outcome: RetryRule.Outcome, _ cause: RetryMetrics.Cause, _ facts: RetryRule.Facts,
        _ history: borrowing TaskHistory
    ) -> RetryMetrics? {
        let rule = rule(for: history)
        let now = MonotonicInstant.now
        let verdict = rule.verdict(
            on: outcome, facts, history.retryCount, elapsed: history.start.duration(to: now))
        guard case .retry(let delay) = verdict else { return nil }
        guard budget.spend(on: history.hop.request, by: rule.policy, at: now) else { return nil }
        return RetryMetrics(number: history.retryCount.retries &+ 1, cause: cause, time: now, delay: delay)
    }
}
