// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a path.
struct PathProblem: Hashable {
    enum Finding: Hashable {
        /// `X509_V_ERR_…`
        case openSSL(Int32)
        /// A rule OpenSSL does not know.
        case rule(CertificateRule)
        /// More than we let anybody make us do.
        case limit(EvaluationLimit)
    }

    var finding: Finding
    /// The position in the path it is about; 0 is the leaf.
    var depth: Int
    var certificate: X509Certificate?

    init(_ finding: Finding, depth: Int = 0, certificate: X509Certificate? = nil) {
        self.finding = finding
        self.depth = depth
        self.certificate = certificate
    }
}
