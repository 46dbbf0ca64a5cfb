// SPDX-License-Identifier: Apache-2.0

/// The maximum work that a server can cause by its certificates. No honest server comes near any of these limits: a
/// certificate or list that exceeds one is refused without further evaluation.
public enum EvaluationLimit: String, Sendable, Hashable, CaseIterable {
    /// The maximum bytes of all certificates of one list. OpenSSL's own limit for a handshake, too.
    case listSize = "certificate-list-size"
    /// The maximum number of certificates in one list. The longest path has twelve.
    case certificates = "certificate-count"
    /// The maximum number of names in one subjectAltName. Authorities sell up to 2,000.
    case names = "name-count"
    /// The maximum number of parts of one subject or issuer.
    case nameParts = "name-part-count"
    /// The maximum number of subtrees in one authority's name constraints.
    case constraints = "name-constraint-count"
    /// The maximum number of policies and mappings of policies in one certificate, if policies are validated.
    case policies = "policy-count"
    /// The work of one evaluation, in units of about a microsecond; see `EvaluationBudget`.
    case work = "evaluation-work"

    /// The maximum.
    public var maximum: Int {
        switch self {
        case .listSize: 100 << 10
        case .certificates: 128
        case .names: 4096
        case .nameParts: 256
        case .constraints: 4096
        case .policies: 512
        case .work: 40_000
        }
    }

    /// The violation, as a sentence without its subject.
    var sentence: String {
        switch self {
        case .listSize: "the server's certificates are longer than \(maximum) bytes"
        case .certificates: "the server sent more than \(maximum) certificates"
        case .names: "has more than \(maximum) names"
        case .nameParts: "has a subject or issuer of more than \(maximum) parts"
        case .constraints: "has more than \(maximum) name constraints"
        case .policies: "has more than \(maximum) policies"
        case .work: "no valid path was found within the work that one server may cause"
        }
    }

    /// Whether the limit concerns one certificate rather than all of them.
    var isAboutCertificate: Bool {
        switch self {
        case .listSize, .certificates, .work: false
        case .names, .nameParts, .constraints, .policies: true
        }
    }
}
