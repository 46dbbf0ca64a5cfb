// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// Builds and verifies one chain, as a TLS client must (RFC 5280 §6, RFC 9525): signatures, dates of every
/// certificate, authority flags, name constraints, key strengths, the purpose TLS server, and the name.
///
/// The obvious path comes first, and nearly always is the only one. If it is refused for a reason that another path
/// could avoid, all others are tried.
struct ChainVerifier {
    var leaf: Certificate
    /// Certificates that may help to build the chain; none of them is believed.
    var untrusted: [Certificate]
    var store: TrustStore
    /// Nil leaves the name out, and only the name.
    var identity: ReferenceIdentity?
    var time: Int64
    var profile: TrustProfile

    func verify() -> PathValidation.Outcome {
        var verifier = self
        // A key that is costly to verify with never gets to verify anything.
        verifier.untrusted.removeAll { !$0.hasSupportedKey }
        let obvious = judge(
            validation.choose(leaf: leaf, untrusted: verifier.untrusted, store: store), isComplete: true)
        guard case .refused(let problem) = obvious else { return obvious }
        var search = PathSearch(verifier)
        if let path = search.run() { return .valid(path) }
        guard problem.isDeadEnd else { return obvious }
        return .refused(unreadable(problem) ?? search.problem ?? unusableIssuer(problem) ?? problem)
    }

    /// Validates one path by believing its last certificate.
    ///
    /// - Parameter isComplete: the last certificate is an anchor; if not, it is held to what intermediates are.
    func check(_ path: [Certificate], isComplete: Bool) -> PathValidation.Outcome {
        judge(validation.check(path), isComplete: isComplete)
    }

    private var validation: PathValidation { PathValidation(identity: identity, time: time) }

    /// What OpenSSL accepts still has to pass the rules it does not know.
    private func judge(_ outcome: PathValidation.Outcome, isComplete: Bool) -> PathValidation.Outcome {
        guard case .valid(let path) = outcome,
            let problem = CertificateRule.violated(by: path, isComplete: isComplete, profile: profile)
        else { return outcome }
        return .refused(problem)
    }
}

extension PathProblem {
    /// The path ended before it came to an anchor, which says little if another one did come to one.
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
