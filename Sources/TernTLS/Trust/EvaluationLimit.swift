// SPDX-License-Identifier: Apache-2.0

/// What a server can make us do to judge it, and no more. No honest server comes near any of these: whatever crosses
/// one is refused, and not judged any further.
public enum EvaluationLimit: String, Sendable, Hashable, CaseIterable {
    /// Bytes of all the certificates of one list. OpenSSL's own limit for a handshake, too.
    case listSize = "certificate-list-size"
    /// Certificates in one list. The longest path has twelve.
    case certificates = "certificate-count"
    /// Names in one subjectAltName. Authorities sell up to 2,000.
    case names = "name-count"
    /// Parts of one subject or issuer.
    case nameParts = "name-part-count"
    /// Subtrees in one authority's name constraints.
    case constraints = "name-constraint-count"
    /// Policies and mappings of policies in one certificate, where policies are looked at.
    case policies = "policy-count"
    /// The work of one evaluation, in units of about a microsecond; see `EvaluationBudget`.
    case work = "evaluation-work"

    /// How much is allowed.
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

    /// What is wrong beyond the limit, as a sentence without its subject.
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

    /// Whether it is about one certificate, and not about all of them.
    var isAboutCertificate: Bool {
        switch self {
        case .listSize, .certificates, .work: false
        case .names, .nameParts, .constraints, .policies: true
        }
    }
}
