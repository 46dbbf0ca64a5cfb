// SPDX-License-Identifier: Apache-2.0

/// The maximum work that a server can cause by its certificates. No honest server comes near any of these limits: a
/// certificate or list that exceeds one is refused without further evaluation.
public enum EvaluationLimit: String, Sendable, Hashable, CaseIterable {
    /// The maximum bytes of all certificates of one list.
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

    /// The maximum in a handshake, where OpenSSL decodes the list on the reactor: honest servers send two to five
    /// certificates, 10 KB at most.
    public var handshakeMaximum: Int {
        switch self {
        case .listSize: 32 << 10
        case .certificates: 16
        case .names, .nameParts, .constraints, .policies, .work: maximum
        }
    }

    /// The violation, as a sentence without its subject.
    var sentence: String {
        switch self {
        case .listSize:
            "the server's certificates are longer than \(handshakeMaximum >> 10) KB, or \(maximum >> 10) KB without a handshake"
        case .certificates:
            "the server sent more than \(handshakeMaximum) certificates, or \(maximum) without a handshake"
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

/// The work that an evaluation may still do, in units of about a microsecond.
///
/// Units are computed from sizes before the work is done, without reading a clock: so a verdict never depends on the
/// load of the machine. An evaluation that stays within the small allowance gives the same verdict as within the large
/// one; one that does not is started again on another thread, with the large one.
struct EvaluationBudget {
    private(set) var left: Int
    /// Whether some work was skipped because it would have exceeded the budget.
    private(set) var isExceeded = false

    /// For a whole evaluation.
    static var whole: EvaluationBudget { EvaluationBudget(EvaluationLimit.work.maximum) }
    /// For the work on a reactor between two polls of its sockets: several times the work of common chains.
    static var onReactor: EvaluationBudget { EvaluationBudget(2500) }

    init(_ units: Int) { left = units }

    /// Deducts the cost of work; returns false if the work must not be done.
    mutating func spend(_ units: Int) -> Bool {
        guard canSpend(units) else {
            isExceeded = true
            return false
        }
        left -= units
        return true
    }

    func canSpend(_ units: Int) -> Bool { !isExceeded && units <= left }
}
