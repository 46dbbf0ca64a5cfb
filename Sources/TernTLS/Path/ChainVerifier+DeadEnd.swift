// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// Why a path ended early, where OpenSSL only reports a missing issuer: it skips every certificate that it cannot read
/// in full, as issuer and as subject.
extension ChainVerifier {
    /// The certificate that lacks an issuer cannot be read itself.
    func unreadable(_ problem: PathProblem) -> PathProblem? {
        problem.certificate?.unreadableRule.map {
            PathProblem(.rule($0), depth: problem.depth, certificate: problem.certificate)
        }
    }

    /// The issuer is present, and was skipped.
    func unusableIssuer(_ problem: PathProblem) -> PathProblem? {
        guard let certificate = problem.certificate else { return nil }
        for issuer in untrusted where issuer.hasName(ofIssuerOf: certificate) {
            if let limit = CertificateSize(issuer).crossedLimit {
                return PathProblem(.limit(limit), depth: problem.depth + 1, certificate: issuer)
            }
            if let rule = issuer.unreadableRule ?? issuer.unsupportedKeyRule(against: certificate) {
                return PathProblem(.rule(rule), depth: problem.depth + 1, certificate: issuer)
            }
        }
        for anchor in store.certificates(issuing: certificate) {
            if let rule = anchor.unreadableRule ?? (anchor.keyAlgorithm == nil ? .unsupportedKey : nil) {
                return PathProblem(.rule(rule), depth: problem.depth + 1, certificate: anchor)
            }
        }
        return nil
    }
}

extension X509Certificate {
    fileprivate var unreadableRule: CertificateRule? {
        guard x509.has(EXFLAG_INVALID) else { return nil }
        return x509.hasDuplicateExtension ? .duplicateExtension : .malformedExtension
    }

    fileprivate func hasName(ofIssuerOf other: X509Certificate) -> Bool {
        unsafe X509_NAME_cmp(X509_get_subject_name(x509.pointer), X509_get_issuer_name(other.x509.pointer)) == 0
    }

    /// A readable key must also match by its identifiers: another certificate of the same name may be the issuer's.
    fileprivate func unsupportedKeyRule(against issued: X509Certificate) -> CertificateRule? {
        !hasSupportedKey && (keyAlgorithm == nil || mayHaveIssued(issued)) ? .unsupportedKey : nil
    }
}
