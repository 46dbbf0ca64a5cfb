// SPDX-License-Identifier: Apache-2.0
import Tern

/// What a server is judged by: one policy, or a policy file's.
enum TrustRule {
    case policy(ServerTrustPolicy)
    case manager(ServerTrustPolicyManager)

    /// - Parameter host: nil checks no name. A policy file has nothing to say then but what it says of unlisted hosts.
    func evaluate(_ trust: ServerTrust, host: String?) -> ServerTrustResult {
        switch (self, host) {
        case (.policy(let policy), let host?): policy.evaluate(trust, host: host)
        case (.policy(let policy), nil): policy.evaluateChain(trust)
        case (.manager(let manager), let host?): manager.evaluate(trust, host: host)
        case (.manager(let manager), nil):
            manager.allHostsMustBeEvaluated
                ? manager.evaluate(trust, host: "")
                : ServerTrustPolicy.performDefaultEvaluation(validateHost: false).evaluateChain(trust)
        }
    }
}
