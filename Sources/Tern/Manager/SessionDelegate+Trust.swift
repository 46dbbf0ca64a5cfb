// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernLock

// Whether a server is to be trusted.
extension SessionDelegate {
    /// What the manager's policies say; where there is none for the host, nobody has anything to say.
    func judge(_ challenge: Challenge) -> (ChallengeDisposition, Credential?) {
        let space = challenge.protectionSpace
        guard let trust = space.serverTrust, let policies = attachment.withLock({ $0.policies }),
            policies.allHostsMustBeEvaluated || policies.serverTrustPolicy(forHost: space.host) != nil
        else { return (.performDefaultHandling, nil) }
        guard policies.evaluate(trust, host: space.host).verdict == .accepted else {
            return (.cancelAuthenticationChallenge, nil)
        }
        return (.useCredential, Credential(trust: trust))
    }

    /// What closures and subclasses say. Nobody waits for an answer: it would keep other servers waiting.
    func trusts(_ trust: ServerTrust, _ host: String) -> Bool {
        guard let session = attachment.withLock({ $0.session }) else { return false }
        let answer = Lock<ChallengeDisposition?>(nil)
        let space = ProtectionSpace(
            host: host, protocol: "https", authenticationMethod: .serverTrust, serverTrust: trust)
        urlSession(session, didReceive: Challenge(protectionSpace: space)) { disposition, _ in
            answer.withLock { $0 = $0 ?? disposition }
        }
        switch answer.withLock({ $0 }) {
        case .useCredential: return true
        case .performDefaultHandling:
            return ServerTrustPolicy.performDefaultEvaluation(validateHost: true).evaluate(trust, host: host).verdict
                == .accepted
        case .cancelAuthenticationChallenge, .rejectProtectionSpace, nil: return false
        }
    }

    /// The policies a session is to have: the manager's own, or those that ask closures and subclasses first.
    func policies(over policies: ServerTrustPolicyManager?) -> ServerTrustPolicyManager? {
        set(\.policies, policies)
        let isAsked = type(of: self) != SessionDelegate.self || closures.withLock { $0.judgesServers }
        return isAsked ? AskingPolicies(self, policies) : policies
    }
}

/// Has a hub asked about every server.
private final class AskingPolicies: ServerTrustPolicyManager, @unchecked Sendable {
    // Weak, and never set again: a session holds its policies, and its delegate holds no session.
    private weak var hub: SessionDelegate?

    init(_ hub: SessionDelegate, _ policies: ServerTrustPolicyManager?) {
        self.hub = hub
        super.init(policies: [:], profile: policies?.profile, onPinFailure: policies?.onPinFailure)
    }

    override func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? {
        .customEvaluation { [weak hub] trust, host in hub?.trusts(trust, host) ?? false }
    }
}
