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
    private var resumption: Resumption?
    private(set) var result: ServerTrustResult?
    /// What sessions of this connection are kept with; nil until the server is accepted.
    private var evidence: TrustEvidence?

    init(host: String, policy: ServerTrustPolicy, anchors: Anchors, resumption: Resumption?) {
        self.host = host
        self.policy = policy
        self.anchors = anchors
        self.resumption = resumption
    }

    /// Makes the verification of `ssl` this object's affair; the session keeps it alive as long as `ssl`.
    @unsafe func attach(to ssl: OpaquePointer) -> Bool {
        guard unsafe SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque()) == 1 else { return false }
        unsafe resumption?.offer(to: ssl, reaffirm: reaffirms)
        return true
    }

    /// The server has resumed the session it was offered. False if it was offered none.
    func resume() -> Bool {
        guard let evidence = resumption?.evidence else { return false }
        self.evidence = evidence
        result = evidence.result
        return true
    }

    func handshakeFailed() { resumption?.handshakeFailed() }

    /// The new-session callback. Always 0: a reference to the session that was passed in is not kept.
    @unsafe static func issued(_ ssl: OpaquePointer?, _ session: OpaquePointer?) -> Int32 {
        guard let ssl = unsafe ssl, let session = unsafe session,
            let verification = unsafe attached(to: ssl), let evidence = verification.evidence
        else { return 0 }
        unsafe verification.resumption?.keep(session, evidence: evidence)
        return 0
    }

    @unsafe private static func attached(to ssl: OpaquePointer) -> PeerVerification? {
        unsafe SSL_get_ex_data(ssl, 0).map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// The certificate verify callback: 1 goes on, 0 sends the alert that belongs to the store context's error.
    @unsafe static func verify(_ store: OpaquePointer?) -> Int32 {
        guard let store = unsafe store,
            let ssl = unsafe X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
            let verification = unsafe attached(to: OpaquePointer(ssl))
        else { return 0 }
        let sent = unsafe Certificate.copies(of: X509_STORE_CTX_get0_untrusted(store))
        let code = verification.evaluate(sent)
        unsafe X509_STORE_CTX_set_error(store, code)
        return code == X509_V_OK ? 1 : 0
    }

    private func evaluate(_ sent: [Certificate]) -> Int32 {
        let trust = ServerTrust(sentChain: sent, anchors: anchors)
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

    /// What a closure answers may depend on anything, so it is asked again, about the certificates of the time.
    private func reaffirms(_ result: ServerTrustResult) -> Bool {
        guard policy.identity.isAskedAgain else { return true }
        return policy.evaluate(ServerTrust(sentChain: result.sentChain, anchors: anchors), host: host).isAccepted
    }
}
