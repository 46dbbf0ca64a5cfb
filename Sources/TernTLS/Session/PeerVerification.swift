// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// Whom a session expects to meet, and what became of it.
///
/// Not `Sendable`: it belongs to its session and is used on the session's thread, inside the handshake.
final class PeerVerification {
    private let host: String
    private let policy: ServerTrustPolicy
    private let anchors: Anchors
    private let profile: TrustProfile
    private(set) var result: ServerTrustResult?

    init(host: String, policy: ServerTrustPolicy, configuration: TLSConfiguration) {
        self.host = host
        self.policy = policy
        anchors = configuration.anchors
        profile = configuration.profile
    }

    /// Makes the verification of `ssl` this object's affair; the session keeps it alive as long as `ssl`.
    @unsafe func attach(to ssl: OpaquePointer) -> Bool {
        unsafe SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque()) == 1
    }

    /// The certificate verify callback: 1 goes on, 0 sends the alert that belongs to the store context's error.
    @unsafe static func verify(_ store: OpaquePointer?) -> Int32 {
        guard let store = unsafe store,
            let ssl = unsafe X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
            let attached = unsafe SSL_get_ex_data(OpaquePointer(ssl), 0)
        else { return 0 }
        let verification = unsafe Unmanaged<PeerVerification>.fromOpaque(attached).takeUnretainedValue()
        let sent = unsafe Certificate.copies(of: X509_STORE_CTX_get0_untrusted(store))
        let code = verification.evaluate(sent)
        unsafe X509_STORE_CTX_set_error(store, code)
        return code == X509_V_OK ? 1 : 0
    }

    private func evaluate(_ sent: [Certificate]) -> Int32 {
        let trust = ServerTrust(sentChain: sent, anchors: anchors, profile: profile)
        let result = policy.evaluate(trust, host: host)
        self.result = result
        // The evaluation leaves the queue as it found it: a refusal is told by the result, not by leftovers.
        ERR_clear_error()
        switch result.verdict {
        case .accepted: return X509_V_OK
        case .refused(let failure):
            return failure.verifyCode == X509_V_OK ? X509_V_ERR_APPLICATION_VERIFICATION : failure.verifyCode
        }
    }
}
