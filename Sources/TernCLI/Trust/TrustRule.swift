// SPDX-License-Identifier: Apache-2.0
import Tern

/// What a server is judged by: one policy, or a policy file's.
enum TrustRule {
    case policy(ServerTrustPolicy)
    case manager(ServerTrustPolicyManager)

    /// Certificates count in whole seconds. A moment between two of them is within a validity if both are, so whatever the
    /// first one is accepted for, the second one has to be accepted for, too.
    func evaluate(_ trust: ServerTrust, host: String?, isBetweenSeconds: Bool) -> ServerTrustResult {
        let result = evaluate(trust, host: host)
        guard isBetweenSeconds, result.isAccepted else { return result }
        var later = trust
        later.time += 1
        let last = evaluate(later, host: host)
        return last.isAccepted ? result : last
    }

    /// - Parameter host: nil checks no name. A policy file has nothing to say then but what it says of unlisted hosts.
    private func evaluate(_ trust: ServerTrust, host: String?) -> ServerTrustResult {
        switch (self, host) {
        case (.policy(let policy), let host?): policy.evaluate(trust, host: host)
        case (.policy(let policy), nil): policy.evaluateChain(trust)
        case (.manager(let manager), let host?): manager.evaluate(trust, host: host)
        case (.manager(let manager), nil):
            manager.allHostsMustBeEvaluated
                ? manager.evaluate(trust, host: "")
                : ServerTrustPolicy.performDefaultEvaluation(validateHost: false)
                    .evaluateChain(trust.with(manager.profile))
        }
    }
}

extension ServerTrust {
    /// The same server, held to `profile`, if there is one.
    fileprivate func with(_ profile: TrustProfile?) -> ServerTrust {
        var trust = self
        trust.profile = profile ?? self.profile
        return trust
    }
}
