// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

extension X509Certificate {
    /// The requirements of RFC 5280 §4.2.1.10 and §6.1.4 for name constraints that OpenSSL does not check.
    ///
    /// - Parameter path: the certificates below this one, leaf first.
    func brokenNameConstraintRule(below path: ArraySlice<X509Certificate>) -> CertificateRule? {
        guard let constraints = x509.nameConstraints else { return nil }
        guard constraints.isWellFormed else { return .malformedNameConstraints }
        for (depth, certificate) in path.enumerated() where depth == 0 || !certificate.x509.isSelfIssued {
            for name in certificate.subjectAlternativeNames {
                if case .dns(let text) = name, constraints.excludes(wildcard: text) {
                    return .wildcardInExcludedSubtree
                }
                if constraints.cannotCompare(name) { return .malformedNames }
            }
        }
        return nil
    }

    /// An upper bound on the comparisons of this certificate's constraints with the names of those below. The subject
    /// counts as a name.
    func nameComparisons(below path: ArraySlice<X509Certificate>) -> Int {
        let subtrees = x509.subtreeLimit
        guard subtrees > 0 else { return 0 }
        return path.reduce(0) { $0 + (subtrees * (1 + $1.x509.nameLimit)) }
    }
}
