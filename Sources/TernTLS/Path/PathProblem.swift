// SPDX-License-Identifier: Apache-2.0

/// A problem of a path.
struct PathProblem: Hashable {
    enum Finding: Hashable {
        /// `X509_V_ERR_…`
        case openSSL(Int32)
        /// A rule that OpenSSL does not check.
        case rule(CertificateRule)
        /// More work than a server may cause.
        case limit(EvaluationLimit)
    }

    var finding: Finding
    /// The position in the path that it concerns; 0 is the leaf.
    var depth: Int
    var certificate: X509Certificate?

    init(_ finding: Finding, depth: Int = 0, certificate: X509Certificate? = nil) {
        self.finding = finding
        self.depth = depth
        self.certificate = certificate
    }
}
