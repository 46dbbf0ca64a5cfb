// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// Checks the certificates of a verified chain against the available revocation data. Pure: missing data is returned as
/// questions.
struct RevocationCheck {
    let data: RevocationData
    let flags: RevocationFlags
    let time: Int64

    /// One finding for each certificate except the anchor, which is trusted by decision.
    func findings(in chain: [X509Certificate]) -> [RevocationFinding] {
        zip(chain, chain.dropFirst()).enumerated().map { depth, pair in
            finding(about: pair.0, issuedBy: pair.1, depth: depth)
        }
    }

    /// The failure for the first finding that must lead to a refusal. Its code is the one for which OpenSSL sends the
    /// appropriate alert.
    func failure(of findings: [RevocationFinding], in chain: [X509Certificate], host: String) -> TrustFailure? {
        let failure = failureOfFindings(findings, in: chain, host: host)
        if case .revoked = failure?.reason { return failure }
        guard let leaf = chain.first, lacksStaple(chain) else { return failure }
        // No fetched response replaces the staple: an attacker with the key of a revoked certificate can block requests
        // to the responder, but cannot make a response, which is why the certificate requires one.
        return TrustFailure(
            .missingStaple, host: host, verifyCode: X509_V_ERR_OCSP_VERIFY_NEEDED, certificate: leaf, seen: chain)
    }

    private func lacksStaple(_ chain: [X509Certificate]) -> Bool {
        // An anchor alone is trusted by decision.
        guard flags.contains(.ocsp), chain.count > 1, chain[0].x509.demandsStaple else { return false }
        guard let staple = data.stapledResponse else { return true }
        return OCSPCheck(certificate: chain[0], issuer: chain[1]).status(by: staple, at: time) == .undetermined
    }

    private func failureOfFindings(
        _ findings: [RevocationFinding], in chain: [X509Certificate], host: String
    ) -> TrustFailure? {
        for finding in findings {
            let (reason, code): (TrustFailure.Reason, Int32)
            switch finding.status {
            case .good: continue
            case .revoked(let time): (reason, code) = (.revoked(at: time), X509_V_ERR_CERT_REVOKED)
            case .unknown: (reason, code) = (.unknownToResponder, X509_V_ERR_OCSP_CERT_UNKNOWN)
            case .undetermined where data.lacksAnswers(to: finding.questions):
                (reason, code) = (.revocationNotAsked, X509_V_ERR_OCSP_VERIFY_NEEDED)
            case .undetermined:
                guard flags.contains(.requirePositiveResponse) else { continue }
                (reason, code) = (.revocationUndetermined, X509_V_ERR_OCSP_VERIFY_NEEDED)
            }
            return TrustFailure(
                reason, host: host, verifyCode: code, depth: finding.depth, certificate: finding.certificate,
                seen: chain)
        }
        return nil
    }

    /// Of several statements the worst counts, except a responder's "unknown", which any better informed statement
    /// overrides.
    private func finding(
        about certificate: X509Certificate, issuedBy issuer: X509Certificate, depth: Int
    ) -> RevocationFinding {
        var words: [(RevocationFinding.Status, RevocationFinding.Source)] = []
        if flags.contains(.ocsp) {
            let check = OCSPCheck(certificate: certificate, issuer: issuer)
            if depth == 0, let staple = data.stapledResponse {
                words.append((check.status(by: staple, at: time), .staple))
            }
            words += data.responses.map { (check.status(by: $0, at: time), .ocsp) }
        }
        if flags.contains(.crl), !data.lists.isEmpty {
            let check = ListCheck(certificate: certificate, issuer: issuer)
            words.append((check.status(by: data.lists, at: time), .crl))
        }
        let word = words.min { Self.rank($0.0) < Self.rank($1.0) }
        let status = word?.0 ?? .undetermined
        return RevocationFinding(
            depth: depth, certificate: certificate, status: status, source: status == .undetermined ? nil : word?.1,
            questions: Self.rank(status) < Self.rank(.unknown)
                ? [] : Self.questions(about: certificate, issuedBy: issuer, flags))
    }

    private static func rank(_ status: RevocationFinding.Status) -> Int {
        switch status {
        case .revoked: 0
        case .good: 1
        case .unknown: 2
        case .undetermined: 3
        }
    }
}
