// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernTLS

/// The object that `tern trust evaluate --json` and `explain --json` print. Its keys are stable; every key is always
/// present, null if it has no value.
struct VerdictReport: Encodable {
    private let result: ServerTrustResult

    init(_ result: ServerTrustResult) { self.result = result }

    private enum CodingKeys: String, CodingKey {
        case verdict, reason, detail, host, at, policy, openssl, chain, certificates, transparency, advice
        case waived, rehearsals
        case wantedPins = "wanted_pins"
        case fetchedIssuers = "fetched_issuers"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(result.isAccepted ? "accept" : "refuse", forKey: .verdict)
        try container.encode(result.rule, forKey: .reason)
        try container.encode(result.sentence, forKey: .detail)
        try container.encode(result.host.isEmpty ? nil : result.host, forKey: .host)
        try container.encode(JSONReport.time(result.time), forKey: .at)
        try container.encode(result.policy, forKey: .policy)
        try container.encode(result.failure.flatMap(OpenSSLVerdict.init), forKey: .openssl)
        try container.encode(wantedPins, forKey: .wantedPins)
        try container.encode(result.chain.rawValue, forKey: .chain)
        try container.encode(result.findings.map(CertificateReport.init), forKey: .certificates)
        try container.encode(result.transparency.map(TransparencyReport.init), forKey: .transparency)
        try container.encode(result.waivedFailures.map(ReasonReport.init), forKey: .waived)
        try container.encode(result.rehearsals.map { $0.failure.map(ReasonReport.init) }, forKey: .rehearsals)
        try container.encode(result.fetchedIssuers.map(\.url), forKey: .fetchedIssuers)
        try container.encode(result.advice, forKey: .advice)
    }

    private var wantedPins: [String] {
        guard case .keyNotPinned(let pins)? = (result.failure ?? result.waived)?.reason else { return [] }
        return pins.map(\.pin)
    }
}

/// A failure that refuses nothing.
private struct ReasonReport: Encodable {
    let reason: String
    let detail: String

    init(_ failure: TrustFailure) { (reason, detail) = (failure.rule, failure.sentence) }
}

private struct OpenSSLVerdict: Encodable {
    let code: Int32
    let depth: Int
    let text: String

    /// Nil if the rule is not OpenSSL's.
    init?(_ failure: TrustFailure) {
        if failure.verifyCode == 0 { return nil }
        (code, depth, text) = (failure.verifyCode, failure.depth, failure.verifyText)
    }
}

private struct CertificateReport: Encodable {
    private let findings: CertificateFindings

    init(_ findings: CertificateFindings) { self.findings = findings }

    private enum CodingKeys: String, CodingKey {
        case role, subject, issuer, pin, names, key, signature, authority, revocation, failure
        case notBefore = "not_before"
        case notAfter = "not_after"
        case keySecurityBits = "key_security_bits"
        case signatureSecurityBits = "signature_security_bits"
        case basicConstraints = "basic_constraints"
        case keyUsage = "key_usage"
        case extendedKeyUsage = "extended_key_usage"
        case nameConstraints = "name_constraints"
        case fetchedFrom = "fetched_from"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let certificate = findings.certificate
        try container.encode(findings.role.rawValue, forKey: .role)
        try container.encode(certificate.subject, forKey: .subject)
        try container.encode(certificate.issuer, forKey: .issuer)
        try container.encode(findings.publicKey.pin, forKey: .pin)
        try container.encode(findings.names.map(\.description), forKey: .names)
        try container.encode(certificate.notBefore.map(JSONReport.time), forKey: .notBefore)
        try container.encode(certificate.notAfter.map(JSONReport.time), forKey: .notAfter)
        try container.encode(findings.key, forKey: .key)
        try container.encode(findings.keySecurityBits, forKey: .keySecurityBits)
        try container.encode(findings.signature, forKey: .signature)
        try container.encode(findings.signatureSecurityBits, forKey: .signatureSecurityBits)
        try container.encode(findings.isAuthority, forKey: .authority)
        try container.encode(findings.basicConstraints, forKey: .basicConstraints)
        try container.encode(findings.keyUsage, forKey: .keyUsage)
        try container.encode(findings.extendedKeyUsage, forKey: .extendedKeyUsage)
        try container.encode(findings.nameConstraints, forKey: .nameConstraints)
        try container.encode(findings.revocation.map(RevocationReport.init), forKey: .revocation)
        try container.encode(findings.fetchedFrom, forKey: .fetchedFrom)
        try container.encode(findings.failure?.rule, forKey: .failure)
    }
}

private struct TransparencyReport: Encodable {
    private let complies: Bool
    private let detail: String
    private let timestamps: [TimestampReport]

    init(_ verdict: TransparencyVerdict) {
        complies = verdict.shortfall == nil && !verdict.isListOutdated
        detail = verdict.sentence
        timestamps = verdict.findings.map(TimestampReport.init)
    }
}

private struct TimestampReport: Encodable {
    private let finding: TransparencyFinding

    init(_ finding: TransparencyFinding) { self.finding = finding }

    private enum CodingKeys: String, CodingKey {
        case source, log, time, status
        case operatorName = "operator"
        case logID = "log_id"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(finding.source.rawValue, forKey: .source)
        try container.encode(finding.log?.description, forKey: .log)
        try container.encode(finding.operatorName, forKey: .operatorName)
        try container.encode(finding.logID.isEmpty ? nil : Base64.encode(finding.logID), forKey: .logID)
        try container.encode(finding.time.map(JSONReport.time), forKey: .time)
        try container.encode(finding.status.word, forKey: .status)
    }
}

/// The revocation status of one certificate, as `tern trust` prints it.
struct RevocationReport: Encodable {
    /// `good`, `revoked`, `unknown` or `undetermined`.
    let status: String
    /// `staple`, `ocsp` or `crl`; nil if the status is unknown.
    let source: String?
    /// Until when it is good, or since when it is revoked (RFC 3339).
    let time: String?

    init(_ finding: RevocationFinding) {
        source = finding.source?.rawValue
        (status, time) =
            switch finding.status {
            case .good(let until): ("good", Timestamp.rfc3339(until))
            case .revoked(let at): ("revoked", at.map(Timestamp.rfc3339))
            case .unknown: ("unknown", nil)
            case .undetermined: ("undetermined", nil)
            }
    }

    private enum CodingKeys: String, CodingKey {
        case status, source, time
    }

    /// The synthesised encoding would omit nil values.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(status, forKey: .status)
        try container.encode(source, forKey: .source)
        try container.encode(time, forKey: .time)
    }

    /// Such as `good until 2030-01-01T00:00:00Z, by ocsp`.
    var text: String {
        let moment = time.map { (status == "good" ? " until " : " since ") + $0 } ?? ""
        return status + moment + (source.map { ", by " + $0 } ?? "")
    }
}
