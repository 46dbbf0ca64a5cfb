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
    var profile: TrustProfile

    /// - Parameter budget: the allowed work. If less than a whole allowance is exceeded, the outcome is meaningless.
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
        PathValidation(identity: nil, time: time).checkStructure(path)
    }

    private var validation: PathValidation { PathValidation(identity: identity, time: time) }

    private var exceeded: PathValidation.Outcome { .refused(PathProblem(.limit(.work), certificate: leaf)) }
    private var noIssuer: PathProblem {
        PathProblem(.openSSL(X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY), certificate: leaf)
    }

    /// A path that OpenSSL accepts must also pass the rules that OpenSSL does not check.
    private func judge(_ outcome: PathValidation.Outcome, isComplete: Bool) -> PathValidation.Outcome {
        guard case .valid(let path) = outcome,
            let problem = CertificateRule.violated(by: path, isComplete: isComplete, profile: profile)
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
