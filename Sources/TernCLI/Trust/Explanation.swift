// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernTLS

/// A verdict as text, with all its details.
struct Explanation {
    private let result: ServerTrustResult

    init(_ result: ServerTrustResult) { self.result = result }

    var text: String {
        (verdict + timestamps + [""] + chain + wanted + missing + advice).joined(separator: "\n")
    }

    private var verdict: [String] {
        let host = result.host.isEmpty ? "Any host" : result.host
        var lines = ["\(host) is \(result.isAccepted ? "accepted" : "REFUSED")."]
        lines += rows([
            ("rule", result.rule), ("because", result.sentence), ("policy", result.policy),
            ("at", Timestamp.rfc3339(result.time)),
        ])
        for waived in result.waivedFailures.dropFirst() { lines += rows([("waived", waived.sentence)]) }
        for rehearsed in result.rehearsals {
            let verdict = rehearsed.isAccepted ? "would accept" : "would REFUSE, \(rehearsed.rule)"
            lines += rows([("next", "\(verdict): \(rehearsed.sentence)")])
        }
        if let failure = result.failure, failure.verifyCode != 0 {
            let text = "error \(failure.verifyCode) at depth \(failure.depth): \(failure.verifyText)"
            lines += rows([("openssl", text)])
        }
        return lines
    }

    private var timestamps: [String] {
        guard let transparency = result.transparency else { return [] }
        let title = transparency.findings.isEmpty ? "No certificate timestamps: " : "The certificate timestamps: "
        return ["", title + transparency.sentence + "."] + transparency.findings.map { "     \($0)" }
    }

    private var chain: [String] {
        let title =
            switch result.chain {
            case .verified: "The verified chain:"
            case .signed: "A path whose signatures are valid; nothing else was checked:"
            case .sent: "The certificates that the server sent, not verified:"
            }
        return result.findings.isEmpty ? [] : [title] + result.findings.flatMap(lines(about:))
    }

    private func lines(about findings: CertificateFindings) -> [String] {
        let certificate = findings.certificate
        let head = "  \(findings.depth)  \(certificate) (\(findings.role.rawValue))"
        var details = [
            ("pin", findings.publicKey.pin), ("issuer", ShortenedText.shortened(certificate.issuer)),
            ("valid", dates(findings)),
        ]
        if !findings.names.isEmpty {
            details.append(("names", ShortenedText.list(findings.names.lazy.map(\.description))))
        }
        details += [
            ("key", "\(findings.key), \(strength(findings.keySecurityBits))"),
            ("signed", "\(findings.signature), \(strength(findings.signatureSecurityBits))"),
        ]
        details += [
            ("purpose", findings.extendedKeyUsage), ("usage", findings.keyUsage), ("limits", findings.basicConstraints),
            ("names of", findings.nameConstraints),
        ].compactMap { name, value in value.map { (name, ShortenedText.shortened($0)) } }
        if let revocation = findings.revocation { details.append(("revoked?", RevocationReport(revocation).text)) }
        if let url = findings.fetchedFrom { details.append(("fetched", ShortenedText.shortened(url))) }
        if let failure = findings.failure { details.append(("WRONG", failure.sentence)) }
        return [head] + rows(details, indent: "     ")
    }

    private func dates(_ findings: CertificateFindings) -> String {
        let certificate = findings.certificate
        let span = [certificate.notBefore, certificate.notAfter].map { $0.map(Timestamp.rfc3339) ?? "?" }
            .joined(separator: " to ")
        return switch findings.dates {
        case .current(let days): "\(span), \(days) day\(days == 1 ? "" : "s") left"
        case .expired: "\(span), EXPIRED"
        case .notYetValid: "\(span), NOT YET VALID"
        case .unreadable: "\(span), UNREADABLE"
        }
    }

    private func strength(_ bits: Int) -> String {
        bits == 0 ? "strength unknown" : "\(bits) bits of security\(bits < 112 ? ", WEAK" : "")"
    }

    private var wanted: [String] {
        guard case .keyNotPinned(let pins)? = (result.failure ?? result.waived)?.reason, !pins.isEmpty else {
            return []
        }
        return ["", "The policy requires one of:"] + pins.map { "     \($0.pin)" }
    }

    private var missing: [String] {
        result.fetchedIssuers.flatMap { ["", "Other clients refuse the server: \($0)."] }
    }

    private var advice: [String] {
        result.advice.map { ["", $0] } ?? []
    }

    private func rows(_ rows: [(String, String)], indent: String = "  ") -> [String] {
        rows.map { name, value in indent + name + String(repeating: " ", count: max(1, 9 - name.count)) + value }
    }
}

extension ServerTrustResult {
    /// Advice after a refusal, and after one that was only reported.
    var advice: String? { (failure ?? waived).map { TrustAdvice.text(for: $0.reason) } }
}

/// Advice after a refusal, for the operator of the server or the developer of the application.
enum TrustAdvice {
    static func text(for reason: TrustFailure.Reason) -> String {
        switch reason {
        case .keyNotPinned, .certificateNotPinned:
            "If the server's key was changed on purpose, add its new pin from above and ship that before the old key "
                + "is removed. If the operator knows of no change, there may be an attacker: do not pin the keys shown here."
        case .nameMismatch, .invalidHost:
            "Request one of the certificate's names, or have a certificate issued whose subjectAltName has this one."
        case .expired: "Renew that certificate. The same key may be kept, and then its pins still match."
        case .notYetValid: "Check this machine's clock, then the certificate's beginning."
        case .untrustedRoot, .noAnchors:
            "If the root is your own, give it with --anchors, or as TLSSettings.anchors in code."
        case .missingIssuer:
            "Usually the server does not send its intermediate: let it send its certificate and all above it except "
                + "the root; meanwhile --fetch-issuers may help. If the root is your own, give it with --anchors."
        case .wrongPurpose: "Have a certificate issued with the extended key usage serverAuth."
        case .invalidAuthority, .nameConstraint, .certificatePolicy:
            "The authority was not allowed to issue this certificate: ask its operator."
        case .rule(.publicSuffixWildcard):
            "Have a certificate issued for names of your own domain: nobody owns all names below a public suffix."
        case .weakKey, .weakSignature: "Have a new certificate issued with at least RSA 2048 or P-256, and SHA-256."
        case .noCertificate: "The server must send a certificate."
        case .noRequiredEvaluator, .noPolicy: "Add the host to the policy, or allow the default policy for it."
        case .revoked:
            "Take it seriously: the key may be stolen. Have a certificate issued for a new key, and pin that."
        case .distrusted:
            "Have another certificate issued, for a new key or by another authority: this one is revoked for every client that "
                + "has the list. If the list is wrong, correct it."
        case .revocationUndetermined, .unknownToResponder:
            "Let the server staple an OCSP response, or make the authority's responder reachable from this machine."
        case .revocationNotAsked:
            "Let the session's own policy check revocation, or fetch the data before the policy is evaluated."
        case .delegate: "Look at the delegate that answers server trust challenges: the policy accepts the server."
        case .missingStaple:
            "Turn on OCSP stapling in the server (SSLUseStapling, ssl_stapling), or have a certificate without must-staple."
        case .certificateTransparency(.noList): "Give the policy, or the session, a list of certificate logs."
        case .certificateTransparency(.outdatedList): "Fetch the current list of certificate logs."
        case .certificateTransparency:
            "Have the authority issue a certificate with timestamps of enough logs, as public authorities do. If it has them, "
                + "fetch the current list of certificate logs."
        case .protocolVersion: "Let the server speak that version: every current TLS library has it."
        case .anchorCondition:
            "Have a certificate issued by an authority that the policy accepts for this server, or change its conditions."
        case .spiffe(.otherID): "Allow the workload in the policy, if it is the one that should answer here."
        case .spiffe(.otherTrustDomain): "Give the policy, or the session, the bundle of that trust domain."
        case .spiffe:
            "Have the server use the certificate that its SPIFFE implementation issues: openssl x509 -text -in FILE."
        case .limit: "Have the server send its own certificate and the few above it, with no more names than it needs."
        case .chainTooLong:
            "Have the server send the shortest chain to the anchor, or allow more certificates between them."
        case .invalidSignature, .unknownCriticalExtension, .rule, .customEvaluation, .other:
            "Inspect the certificate: openssl x509 -text -in FILE."
        }
    }
}
