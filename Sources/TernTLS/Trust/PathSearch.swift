// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// Looks for a valid path among all there are (RFC 4158), by going back and trying the next issuer wherever one fails.
///
/// The search goes depth first, anchors before sent certificates. Each step is a validation of its own: a path that is
/// refused even if its last certificate is believed cannot be mended by what comes above it, whatever the rule, so
/// nothing is built on it. What a hostile server can make us do is bounded by a `Budget`, in units of work and not of
/// time, so that a verdict never depends on how busy the machine is.
struct PathSearch {
    private let verifier: ChainVerifier
    private let untrusted: [Certificate]
    private var budget = Budget()
    /// The refusal of a path that had reached its anchor, or lacked nothing but the anchor.
    private(set) var problem: PathProblem?

    init(_ verifier: ChainVerifier) {
        self.verifier = verifier
        var seen: Set<Certificate> = []
        untrusted = verifier.untrusted.filter { seen.insert($0).inserted }
    }

    /// A valid path, or nil if there is none or the budget is spent.
    mutating func run() -> [Certificate]? {
        let leaf = verifier.leaf
        let isAnchor = verifier.store.contains(leaf)
        // What is wrong with the leaf itself is wrong on every path.
        guard validate([leaf], isComplete: isAnchor) else { return nil }
        return isAnchor ? [leaf] : extend([leaf])
    }

    private mutating func extend(_ path: [Certificate]) -> [Certificate]? {
        guard let last = path.last, path.count <= PathValidation.maximumIntermediates + 1 else { return nil }
        let anchors = verifier.store.certificates(issuing: last)
        for anchor in anchors where mayFollow(anchor, path) {
            let whole = path + [anchor]
            if validate(whole, isComplete: true) { return whole }
        }
        for issuer in untrusted where mayFollow(issuer, path) && !anchors.contains(issuer) {
            let longer = path + [issuer]
            if validate(longer, isComplete: false), let whole = extend(longer) { return whole }
        }
        return nil
    }

    private mutating func validate(_ path: [Certificate], isComplete: Bool) -> Bool {
        guard budget.spend(on: path) else { return false }
        switch verifier.check(path, isComplete: isComplete) {
        case .valid: return true
        case .refused(let found):
            if problem == nil, let last = path.last,
                isComplete || !verifier.store.certificates(issuing: last).isEmpty
            {
                problem = found
            }
            return false
        }
    }

    /// Names and key identifiers fit, and the path would not come back to an authority it has passed: a second
    /// certificate for the same name and key adds constraints and no issuer.
    private mutating func mayFollow(_ issuer: Certificate, _ path: [Certificate]) -> Bool {
        guard budget.spendStep(), let last = path.last, issuer.mayHaveIssued(last) else { return false }
        return !path.contains { $0.isSameAuthority(as: issuer) }
    }
}

extension Certificate {
    fileprivate func isSameAuthority(as other: Certificate) -> Bool {
        unsafe X509_NAME_cmp(X509_get_subject_name(x509.pointer), X509_get_subject_name(other.x509.pointer)) == 0
            && X509_PUBKEY_eq(X509_get_X509_PUBKEY(x509.pointer), X509_get_X509_PUBKEY(other.x509.pointer)) == 1
    }
}
