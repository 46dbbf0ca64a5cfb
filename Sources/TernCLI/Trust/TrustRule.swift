// SPDX-License-Identifier: Apache-2.0
import Tern

/// The rule for a server: one policy, or a policy file's.
enum TrustRule {
    case policy(ServerTrustPolicy)
    case manager(ServerTrustPolicyManager)

    /// Certificates count in whole seconds. A moment between two of them is within a validity if both are, so the
    /// second one must be accepted like the first.
    ///
    /// - Parameter other: must accept, too, if it is given; the result reports both.
    func evaluate(
        _ trust: ServerTrust, host: String?, isBetweenSeconds: Bool, and other: ServerTrustPolicy? = nil
    ) -> ServerTrustResult {
        let result = evaluate(trust, host: host, and: other)
        guard isBetweenSeconds, result.isAccepted else { return result }
        var later = trust
        later.time += 1
        let last = evaluate(later, host: host, and: other)
        return last.isAccepted ? result : last
    }

    /// - Parameter host: nil checks no name. A policy file then applies only its rule for unlisted hosts.
    private func evaluate(_ trust: ServerTrust, host: String?, and other: ServerTrustPolicy?) -> ServerTrustResult {
        switch (self, host) {
        case (.policy(let policy), let host?): policy.and(other).evaluate(trust, host: host)
        case (.policy(let policy), nil): policy.and(other).evaluateChain(trust)
        case (.manager(let manager), let host?):
            (try? manager.requiredPolicy(forHost: host))?.and(other).evaluate(trust.with(manager.profile), host: host)
                ?? manager.evaluate(trust, host: host)
        case (.manager(let manager), nil):
            manager.allHostsMustBeEvaluated
                ? manager.evaluate(trust, host: "")
                : ServerTrustPolicy.performDefaultEvaluation(validateHost: false).and(other)
                    .evaluateChain(trust.with(manager.profile))
        }
    }
}

extension ServerTrustPolicy {
    /// This policy and `other`, if there is one.
    fileprivate func and(_ other: ServerTrustPolicy?) -> ServerTrustPolicy {
        other.map { .composite([self, $0]) } ?? self
    }
}

extension ServerTrust {
    /// The same server, evaluated with `profile`, if there is one.
    fileprivate func with(_ profile: TrustProfile?) -> ServerTrust {
        var trust = self
        trust.profile = profile ?? self.profile
        return trust
    }
}
