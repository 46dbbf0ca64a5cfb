// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// What of a list of certificates is to be looked at, and what that may cost, before any of it is.
struct ChainPlan {
    /// Certificates that may be in a path, without those that cross a limit or have a key that is costly to verify
    /// with: such a key never gets to verify anything.
    private(set) var usable: [X509Certificate] = []
    /// The price of reading them all.
    private(set) var readingCost = 0
    /// The price of the obvious path at most.
    private(set) var firstPathCost = 0
    /// The price of validating policies once; they are looked at only where an authority demands them.
    private(set) var policyCost = 0

    struct LimitExceeded: Error {
        let limit: EvaluationLimit
        let certificate: X509Certificate?
    }

    /// The anchor, and OpenSSL's own pains.
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
            // What is left out still is put into words where the chain is refused.
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
            policyCost + Self.baseCost + min(signatures, dearest * (PathValidation.maximumIntermediates + 1))
            + NameConstraints.cost(names: names, subtrees: subtrees)
    }

    /// OpenSSL goes through all policies of a certificate for each of them.
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

    /// The limit that a list crosses as a whole.
    static func crossedLimit(of list: [X509Certificate]) -> EvaluationLimit? {
        if list.count > EvaluationLimit.certificates.maximum { return .certificates }
        return list.reduce(0) { $0 + $1.x509.byteCount } > EvaluationLimit.listSize.maximum ? .listSize : nil
    }
}

extension NameConstraints {
    /// The price of comparing this number of names with this number of subtrees, and of reading both.
    static func cost(names: Int, subtrees: Int) -> Int {
        subtrees == 0 ? 0 : names + subtrees + names.multipliedReportingOverflow(by: subtrees).partialValue / 50
    }
}
