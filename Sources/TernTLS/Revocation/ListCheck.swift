// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// Looks a certificate up in revocation lists of its issuer (RFC 5280 §6.3).
///
/// OpenSSL verifies each list (signature, dates, scope, critical extensions) in a call of its own, whose only anchor is
/// the issuer: given several lists it would choose one before it checks signatures, so that a forged one could hide a
/// genuine one. Indirect and delta lists are ignored.
struct ListCheck {
    let certificate: X509Certificate
    let issuer: X509Certificate

    /// `undetermined` if no list is current, from the issuer and applicable to such certificates. A revocation counts,
    /// whatever another list says.
    func status(by lists: [CertificateRevocationList], at time: Int64) -> RevocationFinding.Status {
        var goodUntil: Int64?
        for list in lists where isFromIssuer(list) {
            switch status(by: list, at: time) {
            case .revoked(let moment): return .revoked(at: moment)
            case .good(let until): goodUntil = max(until, goodUntil ?? until)
            case .unknown, .undetermined: break
            }
        }
        return goodUntil.map { .good(until: $0) } ?? .undetermined
    }

    private func status(by list: CertificateRevocationList, at time: Int64) -> RevocationFinding.Status {
        defer { OpenSSLError.clear() }
        switch verify(with: list, at: time) {
        case X509_V_OK:
            guard let until = list.nextUpdate, until >= time else { return .undetermined }
            return .good(until: until)
        case X509_V_ERR_CERT_REVOKED: return .revoked(at: revocationTime(in: list))
        default: return .undetermined
        }
    }

    private func isFromIssuer(_ list: CertificateRevocationList) -> Bool {
        unsafe X509_NAME_cmp(
            X509_CRL_get_issuer(list.reference.pointer), X509_get_subject_name(issuer.x509.pointer)) == 0
            && SignatureStrength.isEnough(X509_CRL_get_signature_nid(list.reference.pointer))
    }

    private func verify(with list: CertificateRevocationList, at time: Int64) -> Int32 {
        guard let context = unsafe X509_STORE_CTX_new(), let stack = unsafe tern_X509_CRL_stack_new() else {
            return X509_V_ERR_OUT_OF_MEM
        }
        let anchor = TrustStore([issuer])
        // The stack borrows: `list` retains its contents, and `anchor` the store.
        defer {
            unsafe X509_STORE_CTX_free(context)
            unsafe tern_X509_CRL_stack_free(stack)
        }
        return withExtendedLifetime((anchor, list)) {
            guard let store = unsafe anchor.pointer,
                unsafe tern_X509_CRL_stack_push(stack, list.reference.pointer) > 0,
                unsafe X509_STORE_CTX_init(context, store, certificate.x509.pointer, nil) == 1,
                let parameters = unsafe X509_STORE_CTX_get0_param(context)
            else { return X509_V_ERR_OUT_OF_MEM }
            unsafe X509_STORE_CTX_set0_crls(context, stack)
            unsafe X509_VERIFY_PARAM_set_flags(
                parameters, UInt(X509_V_FLAG_CRL_CHECK) | UInt(X509_V_FLAG_PARTIAL_CHAIN))
            unsafe X509_VERIFY_PARAM_set_time(parameters, time_t(time))
            unsafe X509_verify_cert(context)
            return unsafe X509_STORE_CTX_get_error(context)
        }
    }

    private func revocationTime(in list: CertificateRevocationList) -> Int64? {
        var entry: OpaquePointer?
        guard unsafe X509_CRL_get0_by_cert(list.reference.pointer, &entry, certificate.x509.pointer) == 1 else {
            return nil
        }
        return unsafe Timestamp.seconds(X509_REVOKED_get0_revocationDate(entry))
    }
}
