// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// Builds and verifies one chain, as a TLS client must (RFC 5280 §6, RFC 9525): signatures, dates of every
/// certificate, authority flags, name constraints, key strengths, the purpose TLS server, and the name.
///
/// The obvious path comes first, and nearly always is the only one. If it is refused for a reason that another path
/// could avoid, all others are tried.
struct ChainVerifier {
    var leaf: X509Certificate
    /// Certificates that may help to build the chain; none of them is trusted.
    var untrusted: [X509Certificate]
    var store: TrustStore
    /// Nil skips the name check, and only that.
    var identity: ReferenceIdentity?
    var time: Int64
    /// Whether the moment is a fraction of a second after `time`.
    var isBetweenSeconds = false
    var rules: ChainRules

    /// - Parameter budget: the allowed work. If it runs out, discard the outcome.
    func verify(within budget: inout EvaluationBudget) -> PathValidation.Outcome {
        do throws(ChainPlan.LimitExceeded) {
            let plan = try ChainPlan(leaf: leaf, untrusted: untrusted)
            return verify(by: plan, within: &budget)
        } catch {
            return .refused(PathProblem(.limit(error.limit), certificate: error.certificate))
        }
    }

    private func verify(by plan: ChainPlan, within budget: inout EvaluationBudget) -> PathValidation.Outcome {
        guard budget.spend(plan.readingCost) else { return exceeded }
        var verifier = self
        verifier.untrusted = plan.usable
        var obvious: PathProblem?
        // If the obvious path might exceed the budget, the search finds it step by step.
        if plan.firstPathCost < EvaluationLimit.work.maximum / 2 {
            guard budget.spend(plan.firstPathCost) else { return exceeded }
            let outcome = judge(
                validation.choose(leaf: leaf, untrusted: plan.usable, store: store), isComplete: true)
            guard case .refused(let problem) = outcome else { return outcome }
            obvious = problem
        }
        var search = PathSearch(verifier, policyCost: plan.policyCost, budget: budget)
        let path = search.run()
        budget = search.budget
        if let path { return .valid(path) }
        if let obvious, !obvious.isDeadEnd { return .refused(obvious) }
        if budget.isExceeded { return exceeded }
        let end = obvious ?? noIssuer
        return .refused(unreadable(end) ?? search.problem ?? unusableIssuer(end) ?? end)
    }

    /// Verifies one whole path, trusting its last certificate.
    func check(_ path: [X509Certificate], isComplete: Bool) -> PathValidation.Outcome {
        judge(validation.check(path), isComplete: isComplete)
    }

    /// Verifies by OpenSSL's rules alone, for a path whose certificates have passed the other rules.
    func check(_ path: [X509Certificate]) -> PathValidation.Outcome { validation.check(path) }

    /// Without the name, which concerns the leaf only.
    func checkStructure(_ path: [X509Certificate]) -> PathValidation.Outcome {
        validation(of: nil).checkStructure(path)
    }

    private var validation: PathValidation { validation(of: identity) }

    private func validation(of identity: ReferenceIdentity?) -> PathValidation {
        PathValidation(
            identity: identity, time: time, isBetweenSeconds: isBetweenSeconds,
            maximumIntermediates: rules.maximumIntermediates)
    }

    private var exceeded: PathValidation.Outcome { .refused(PathProblem(.limit(.work), certificate: leaf)) }
    private var noIssuer: PathProblem {
        PathProblem(.openSSL(X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY), certificate: leaf)
    }

    /// A path that OpenSSL accepts must also pass the rules that OpenSSL does not check.
    private func judge(_ outcome: PathValidation.Outcome, isComplete: Bool) -> PathValidation.Outcome {
        guard case .valid(let path) = outcome,
            let problem = CertificateRule.violated(by: path, isComplete: isComplete, profile: rules.profile)
        else { return outcome }
        return .refused(problem)
    }
}

extension PathProblem {
    /// The path ended before it reached an anchor; that is irrelevant if another one did reach one.
    fileprivate var isDeadEnd: Bool {
        switch finding {
        case .openSSL(
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT), .openSSL(X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY),
            .openSSL(X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE), .openSSL(X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN),
            .openSSL(X509_V_ERR_CERT_CHAIN_TOO_LONG):
            true
        default: false
        }
    }
}

/// Why a path ended early, where OpenSSL only reports a missing issuer: it skips every certificate that it cannot read
/// in full, as issuer and as subject.
extension ChainVerifier {
    /// The certificate that lacks an issuer cannot be read itself.
    private func unreadable(_ problem: PathProblem) -> PathProblem? {
        problem.certificate?.unreadableRule.map {
            PathProblem(.rule($0), depth: problem.depth, certificate: problem.certificate)
        }
    }

    /// The issuer is present, and was skipped.
    private func unusableIssuer(_ problem: PathProblem) -> PathProblem? {
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

/// Searches all possible paths for a valid one (RFC 4158), by backtracking to the next issuer when one fails.
///
/// The search is depth-first, anchors before sent certificates. Each step is checked on its own: a path that is refused
/// even if its last certificate is trusted stays invalid, whatever is added above it, so it is not extended. Everything
/// below the last certificate has been checked by then, so only what that one adds is checked: each signature is
/// verified once, and each certificate is checked on its own once. A path that has reached an anchor is then verified
/// as a whole, independently.
///
/// The work that a hostile server can cause is bounded in units of work rather than time, so that a verdict never
/// depends on the load of the machine.
struct PathSearch {
    private let verifier: ChainVerifier
    private let untrusted: [X509Certificate]
    private let policyCost: Int
    private(set) var budget: EvaluationBudget
    private var checks = CertificateCheckCache()
    /// The refusal of a path that had reached its anchor, or lacked only the anchor.
    private(set) var problem: PathProblem?

    /// The cost of one OpenSSL call.
    private static let stepCost = 40

    init(_ verifier: ChainVerifier, policyCost: Int, budget: EvaluationBudget) {
        self.verifier = verifier
        self.policyCost = policyCost
        self.budget = budget
        var seen: Set<X509Certificate> = []
        untrusted = verifier.untrusted.filter { seen.insert($0).inserted }
    }

    /// A valid path, or nil if there is none or the budget is used up.
    mutating func run() -> [X509Certificate]? {
        let leaf = verifier.leaf
        let isAnchor = verifier.store.contains(leaf)
        // A problem of the leaf itself affects every path.
        guard budget.spend(Self.stepCost + checks.size(of: leaf).names),
            accept(verifier.check([leaf], isComplete: isAnchor), of: [leaf], isComplete: isAnchor)
        else { return nil }
        return isAnchor ? [leaf] : extend([leaf])
    }

    private mutating func extend(_ path: [X509Certificate]) -> [X509Certificate]? {
        guard let last = path.last else { return nil }
        guard path.count <= verifier.rules.maximumIntermediates + 1 else {
            let problem = PathProblem(.openSSL(X509_V_ERR_CERT_CHAIN_TOO_LONG), certificate: verifier.leaf)
            _ = accept(problem, of: path, isComplete: false)
            return nil
        }
        let anchors = anchors(issuing: last)
        for anchor in anchors where mayFollow(anchor, path) {
            let whole = path + [anchor]
            if validate(whole, isComplete: true) { return whole }
        }
        for issuer in untrusted where mayFollow(issuer, path) && !isContained(issuer, in: anchors) {
            let longer = path + [issuer]
            if validate(longer, isComplete: false), let whole = extend(longer) { return whole }
        }
        return nil
    }

    private mutating func validate(_ path: [X509Certificate], isComplete: Bool) -> Bool {
        guard budget.spend(cost(of: path)) else { return false }
        // The signature first: most candidates of a search fail here, and the result is the same on every path.
        guard accept(signature(in: path), of: path, isComplete: isComplete),
            isComplete || accept(date(in: path), of: path, isComplete: false),
            accept(verifier.checkStructure(path), of: path, isComplete: isComplete),
            accept(rule(brokenBy: path, isComplete: isComplete), of: path, isComplete: isComplete)
        else { return false }
        guard isComplete else { return true }
        return budget.spend(costOfSignatures(in: path)) && accept(verifier.check(path), of: path, isComplete: true)
    }

    private mutating func accept(
        _ outcome: PathValidation.Outcome, of path: [X509Certificate], isComplete: Bool
    ) -> Bool {
        guard case .refused(let found) = outcome else { return true }
        return accept(found, of: path, isComplete: isComplete)
    }

    /// Whether there is no problem; records the problem otherwise.
    private mutating func accept(_ found: PathProblem?, of path: [X509Certificate], isComplete: Bool) -> Bool {
        guard let found else { return true }
        if problem == nil, let last = path.last, isComplete || !anchors(issuing: last).isEmpty { problem = found }
        return false
    }

    /// Names and key identifiers match, and the path does not return to an authority it contains: a second certificate
    /// for the same name and key adds constraints and no issuer.
    private mutating func mayFollow(_ issuer: X509Certificate, _ path: [X509Certificate]) -> Bool {
        guard budget.spend(1), let last = path.last, issuer.mayHaveIssued(last) else { return false }
        return !path.contains { $0.isSameAuthority(as: issuer) }
    }

    private mutating func isContained(_ certificate: X509Certificate, in anchors: [X509Certificate]) -> Bool {
        guard !anchors.isEmpty else { return false }
        // Without budget, no further path is tried.
        return !budget.spend(1 + anchors.count / 16) || anchors.contains { $0.isEqual(to: certificate) }
    }

    private mutating func anchors(issuing certificate: X509Certificate) -> [X509Certificate] {
        checks.anchors(issuing: certificate, in: verifier.store, within: &budget)
    }
}

// The checks that the last certificate of a path adds
extension PathSearch {
    private mutating func signature(in path: [X509Certificate]) -> PathProblem? {
        guard path.count > 1, let issuer = path.last else { return nil }
        let depth = path.count - 2
        guard let holds = checks.isSigned(path[depth], by: issuer, within: &budget) else {
            return PathProblem(.limit(.work), certificate: verifier.leaf)
        }
        return holds
            ? nil : PathProblem(.openSSL(X509_V_ERR_CERT_SIGNATURE_FAILURE), depth: depth, certificate: path[depth])
    }

    /// Dates that cannot be read are left to OpenSSL.
    private func date(in path: [X509Certificate]) -> PathProblem? {
        guard let last = path.last else { return nil }
        let code: Int32
        if let notBefore = last.notBefore, verifier.time < notBefore {
            code = X509_V_ERR_CERT_NOT_YET_VALID
        } else if let notAfter = last.notAfter,
            verifier.isBetweenSeconds ? verifier.time >= notAfter : verifier.time > notAfter
        {
            code = X509_V_ERR_CERT_HAS_EXPIRED
        } else {
            return nil
        }
        return PathProblem(.openSSL(code), depth: path.count - 1, certificate: last)
    }

    private mutating func rule(brokenBy path: [X509Certificate], isComplete: Bool) -> PathProblem? {
        guard let last = path.last else { return nil }
        let place = CertificateRule.Place(depth: path.count - 1, isAnchor: isComplete)
        let rule =
            checks.rule(brokenBy: last, at: place, profile: verifier.rules.profile)
            ?? last.brokenRule(at: place, below: path.dropLast())
        return rule.map { PathProblem(.rule($0), depth: place.depth, certificate: last) }
    }

    private mutating func cost(of path: [X509Certificate]) -> Int {
        var cost = Self.stepCost + policyCost
        var names = 0
        for certificate in path {
            let size = checks.size(of: certificate)
            cost += NameConstraints.cost(names: names, subtrees: size.subtrees)
            // The subject counts as a name.
            names += 1 + size.names
        }
        return cost
    }

    private mutating func costOfSignatures(in path: [X509Certificate]) -> Int {
        let own = path.dropFirst().reduce(0) { $0 + $1.verificationCost }
        return own + checks.size(of: verifier.leaf).names + cost(of: path)
    }
}

extension X509Certificate {
    fileprivate func isSameAuthority(as other: X509Certificate) -> Bool {
        unsafe X509_NAME_cmp(X509_get_subject_name(x509.pointer), X509_get_subject_name(other.x509.pointer)) == 0
            && X509_PUBKEY_eq(X509_get_X509_PUBKEY(x509.pointer), X509_get_X509_PUBKEY(other.x509.pointer)) == 1
    }

    /// As `==`, without encoding either certificate.
    fileprivate func isEqual(to other: X509Certificate) -> Bool {
        unsafe x509.pointer == other.x509.pointer || X509_cmp(x509.pointer, other.x509.pointer) == 0
    }
}
