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

    /// The failure if one of the findings is that a certificate is revoked.
    func revocation(by findings: [RevocationFinding], in chain: [X509Certificate], host: String) -> TrustFailure? {
        let revoked = findings.filter { if case .revoked = $0.status { true } else { false } }
        return failureOfFindings(revoked, in: chain, host: host)
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

extension RevocationCheck {
    /// The maximum number of URLs of each kind that are used of one certificate.
    private static let placesPerCertificate = 2

    /// The URLs to query about a certificate. Only plain http: https would need a certificate whose revocation would
    /// have to be checked (RFC 5280 §8), and the fetched data is signed.
    static func questions(
        about certificate: X509Certificate, issuedBy issuer: X509Certificate, _ flags: RevocationFlags
    ) -> [RevocationQuestion] {
        if flags.contains(.networkAccessDisabled) { return [] }
        var responders: [RevocationQuestion] = []
        if flags.contains(.ocsp), let request = OCSPCheck(certificate: certificate, issuer: issuer).request {
            responders = certificate.x509.responderURLs.filter(isPlain).prefix(placesPerCertificate)
                .map { .ocsp(url: $0, request: request) }
        }
        var lists: [RevocationQuestion] = []
        if flags.contains(.crl) {
            lists = certificate.x509.listURLs.filter(isPlain).prefix(placesPerCertificate).map { .list(url: $0) }
        }
        return flags.contains(.preferCRL) ? lists + responders : responders + lists
    }

    /// RFC 3986 §3.1: schemes are case-insensitive.
    static func isPlain(_ url: String) -> Bool { url.prefix { $0 != "/" }.lowercased() == "http:" }
}

/// How revocation is checked; Alamofire 4's flags with Alamofire 4's values.
///
/// A certificate that is known to be revoked is always refused. A certificate without a known status is accepted,
/// unless `requirePositiveResponse` is set.
public struct RevocationFlags: OptionSet, Sendable, Hashable {
    /// Alamofire 4's bits.
    public let rawValue: UInt

    /// Creates flags from Alamofire 4's bits; unknown bits have no effect.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Check by OCSP (RFC 6960): the response that the server staples, or else that of the responder the certificate
    /// names.
    public static let ocsp = RevocationFlags(rawValue: 1)
    /// Check by certificate revocation lists (RFC 5280 §5): those given, or else those the certificate names.
    public static let crl = RevocationFlags(rawValue: 2)
    /// Fetch lists before asking responders.
    public static let preferCRL = RevocationFlags(rawValue: 4)
    /// Require a positive statement for every certificate below the anchor.
    public static let requirePositiveResponse = RevocationFlags(rawValue: 8)
    /// Fetch nothing: use only stapled and given data.
    public static let networkAccessDisabled = RevocationFlags(rawValue: 16)
    /// Check by OCSP and by lists, whichever answers.
    public static let useAnyAvailableMethod: RevocationFlags = [.ocsp, .crl]
}
