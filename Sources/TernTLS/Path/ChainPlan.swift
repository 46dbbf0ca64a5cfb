// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// The certificates of a list to evaluate, and the cost of that, computed before any of the work.
struct ChainPlan {
    /// Certificates that may be in a path, without those that exceed a limit or have a key that is expensive to verify
    /// with: such a key is never used to verify.
    private(set) var usable: [X509Certificate] = []
    /// The cost of reading them all.
    private(set) var readingCost = 0
    /// The maximum cost of the obvious path.
    private(set) var firstPathCost = 0
    /// The cost of validating policies once; they are validated only if an authority requires them.
    private(set) var policyCost = 0

    struct LimitExceeded: Error {
        let limit: EvaluationLimit
        let certificate: X509Certificate?
    }

    /// The anchor, and OpenSSL's own overhead.
    private static let baseCost = 100

    init(leaf: X509Certificate, untrusted: [X509Certificate]) throws(LimitExceeded) {
        guard untrusted.count < EvaluationLimit.certificates.maximum else {
            throw LimitExceeded(limit: .certificates, certificate: nil)
        }
        let own = CertificateSize(leaf)
        var bytes = own.bytes
        var (names, subtrees, signatures, dearest) = (own.names, own.subtrees, 0, 0)
        readingCost = own.readingCost + 8 * untrusted.count
        for certificate in untrusted {
            let size = CertificateSize(certificate)
            bytes += size.bytes
            // Certificates that are left out still appear in the text of a refusal.
            readingCost += size.readingCost
            guard size.crossedLimit == nil, certificate.hasSupportedKey else { continue }
            usable.append(certificate)
            names += size.names
            subtrees += size.subtrees
            signatures += certificate.verificationCost
            dearest = max(dearest, certificate.verificationCost)
        }
        guard bytes <= EvaluationLimit.listSize.maximum else { throw LimitExceeded(limit: .listSize, certificate: nil) }
        if let limit = own.crossedLimit { throw LimitExceeded(limit: limit, certificate: leaf) }
        try weighPolicies([leaf] + usable)
        firstPathCost =
            policyCost + Self.baseCost + min(signatures, dearest * (ChainRules.usualMaximum + 1))
            + NameConstraints.cost(names: names, subtrees: subtrees)
    }

    /// OpenSSL iterates over all policies of a certificate for each of them.
    private mutating func weighPolicies(_ certificates: [X509Certificate]) throws(LimitExceeded) {
        guard certificates.contains(where: { $0.x509.hasExtension(NID_policy_constraints) }) else { return }
        for certificate in certificates {
            let count = certificate.x509.policyCount
            if count > EvaluationLimit.policies.maximum {
                throw LimitExceeded(limit: .policies, certificate: certificate)
            }
            policyCost += count * count / 40
        }
    }

    /// The limit that a list exceeds as a whole.
    static func crossedLimit(of list: [X509Certificate]) -> EvaluationLimit? {
        if list.count > EvaluationLimit.certificates.maximum { return .certificates }
        return list.reduce(0) { $0 + $1.x509.byteCount } > EvaluationLimit.listSize.maximum ? .listSize : nil
    }
}

extension NameConstraints {
    /// The cost of comparing this number of names with this number of subtrees, and of reading both.
    static func cost(names: Int, subtrees: Int) -> Int {
        subtrees == 0 ? 0 : names + subtrees + names.multipliedReportingOverflow(by: subtrees).partialValue / 50
    }
}
