// SPDX-License-Identifier: Apache-2.0
import Tern
import TernEngine
import TernTLS

/// A verdict as text, with all its details.
struct Explanation {
    private let result: ServerTrustResult

    init(_ result: ServerTrustResult) { self.result = result }

    var text: String {
        (verdict + [""] + chain + wanted + advice).joined(separator: "\n")
    }

    private var verdict: [String] {
        let host = result.host.isEmpty ? "Any host" : result.host
        var lines = ["\(host) is \(result.isAccepted ? "accepted" : "REFUSED")."]
        lines += rows([
            ("rule", result.rule), ("because", result.sentence), ("policy", result.policy),
            ("at", Timestamp.rfc3339(result.time)),
        ])
        if let failure = result.failure, failure.verifyCode != 0 {
            let text = "error \(failure.verifyCode) at depth \(failure.depth): \(failure.verifyText)"
            lines += rows([("openssl", text)])
        }
        return lines
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

    private var advice: [String] {
        (result.failure ?? result.waived).map { ["", TrustAdvice.text(for: $0.reason)] } ?? []
    }

    private func rows(_ rows: [(String, String)], indent: String = "  ") -> [String] {
        rows.map { name, value in indent + name + String(repeating: " ", count: max(1, 9 - name.count)) + value }
    }
}
