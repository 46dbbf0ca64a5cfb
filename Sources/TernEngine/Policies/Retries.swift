// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// Has a hop sent again after a failure that may be temporary, or a response that asks for it, as the request's
/// ``RetryPolicy`` says, or else the session's. It plans no retry that cannot follow: for which there is no time, no budget,
/// or no breaker that would let it pass.
struct Retries: RetryPlanner {
    let policy: RetryPolicy
    let budget: RetryBudget
    private let routes: RouteRule
    private let circuits: Circuits?
    private let clock: TestClock?
    let interests: HopInterests = [.unsuccessfulHeads, .failures]

    init(of configuration: SessionConfiguration, _ circuits: Circuits? = nil) {
        (policy, routes) = (configuration.retryPolicy, RouteRule(of: configuration))
        (self.circuits, clock) = (circuits, configuration.clock)
        budget = RetryBudget(clock: configuration.clock)
    }

    func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
        // Most heads ask for nothing: their fields are not read.
        guard rule(for: history).policy.statusCodes.contains(head.status) else { return .pass }
        let outcome = RetryRule.Outcome(of: head)
        guard let retry = retry(on: outcome, .status(head.status), history.evidenceOfAnswer, &history) else {
            return .pass
        }
        return .ask(.retry(retry))
    }

    func decide(on failure: AttemptFailure, _ history: inout TaskHistory) -> HopRecovery {
        let outcome = RetryRule.Outcome(of: failure)
        guard let retry = retry(on: outcome, .failure(failure.reason), history.evidence(failure.evidence), &history)
        else { return .pass }
        return .retry(retry)
    }

    func spend(on request: URLRequest, at now: MonotonicInstant) -> Bool {
        guard let server = routes.serverKey(of: request) else { return true }
        return budget.spend(on: server, (request.retryPolicy ?? policy).budget, at: now)
    }

    private func rule(for history: borrowing TaskHistory) -> RetryRule {
        RetryRule(history.hop.request.retryPolicy ?? policy)
    }

    /// Nil if there is none.
    private func retry(
        on outcome: RetryRule.Outcome, _ cause: RetryMetrics.Cause, _ facts: RetryRule.Facts,
        _ history: inout TaskHistory
    ) -> RetryMetrics? {
        let rule = rule(for: history)
        let now = MonotonicInstant.now(by: clock)
        let verdict = rule.verdict(
            on: outcome, facts, history.retryCount, elapsed: history.start.duration(to: now))
        switch verdict {
        case .end(let refusal):
            history.retryRefusal = refusal
            return nil
        case .retry(let delay):
            history.retryRefusal = obstacle(to: rule, after: delay, at: now, history)
            if history.retryRefusal != nil { return nil }
            return RetryMetrics(number: history.retryCount.retries &+ 1, cause: cause, time: now, delay: delay)
        }
    }

    /// Why a retry that the policy has made would not be sent; nil if it would.
    private func obstacle(
        to rule: RetryRule, after delay: Duration, at now: MonotonicInstant, _ history: borrowing TaskHistory
    ) -> RetryRefusal? {
        if !rule.policy.limitsEachAttempt, let deadline = history.deadline, deadline <= now.advanced(by: delay) {
            return .time
        }
        guard let server = routes.serverKey(of: history.hop.request) else { return nil }
        if circuits?.refuses(server, after: delay) == true { return .circuitBreaker }
        return budget.allows(server, rule.policy.budget, at: now) ? nil : .budget
    }
}
