// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// Whom a session expects to meet, and what became of it: in a full handshake by evaluation, in a resumed one by the
/// verdict that came with the session.
///
/// Not `Sendable`: it belongs to its session and is used on the session's thread, inside the handshake.
final class PeerVerification {
    private let host: String
    private let policy: ServerTrustPolicy
    private let anchors: Anchors
    private let profile: TrustProfile
    private(set) var result: ServerTrustResult?
    /// What sessions of this connection are kept with; nil until the server is accepted for good.
    private(set) var evidence: TrustEvidence?

    init(host: String, policy: ServerTrustPolicy, configuration: TLSConfiguration) {
        self.host = host
        self.policy = policy
        anchors = configuration.anchors
        profile = configuration.profile
    }

    /// The certificate verify callback: 1 goes on, 0 sends the alert that belongs to the store context's error.
    @unsafe func verify(_ store: OpaquePointer) -> Int32 {
        let code = evaluate(unsafe Certificate.copies(of: X509_STORE_CTX_get0_untrusted(store)))
        unsafe X509_STORE_CTX_set_error(store, code)
        return code == X509_V_OK ? 1 : 0
    }

    /// Takes over the verdict of a resumed session.
    func resume(_ evidence: TrustEvidence) {
        self.evidence = evidence
        result = evidence.result
    }

    /// Asks once more, about the certificates of the time, where a verdict depends on more than the time.
    func reaffirms(_ result: ServerTrustResult) -> Bool {
        guard policy.identity.isJudgedAnew else { return true }
        let trust = ServerTrust(sentChain: result.sentChain, anchors: anchors, profile: profile)
        return policy.evaluate(trust, host: host).isAccepted
    }

    private func evaluate(_ sent: [Certificate]) -> Int32 {
        let trust = ServerTrust(sentChain: sent, anchors: anchors, profile: profile)
        let result = policy.evaluate(trust, host: host)
        self.result = result
        evidence = TrustEvidence(result, at: trust.time)
        // The evaluation leaves the queue as it found it: a refusal is told by the result, not by leftovers.
        ERR_clear_error()
        switch result.verdict {
        case .accepted: return X509_V_OK
        case .refused(let failure):
            return failure.verifyCode == X509_V_OK ? X509_V_ERR_APPLICATION_VERIFICATION : failure.verifyCode
        }
    }
}
