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

extension CertificateRule {
    /// The first rule that a validated path breaks, from the leaf up.
    ///
    /// An anchor is trusted by decision, and its certificate only carries its name and key (RFC 5280 §6.1.1 d): it is
    /// checked only by rules that no anchor in use breaks. A leaf that is itself an anchor is trusted as it is (RFC
    /// 6818 §2).
    ///
    /// - Parameter isComplete: whether the last certificate is an anchor rather than an intermediate that is trusted
    ///   provisionally.
    static func violated(by path: [X509Certificate], isComplete: Bool, profile: TrustProfile) -> PathProblem? {
        for (depth, certificate) in path.enumerated() {
            let place = Place(depth: depth, isAnchor: isComplete && depth == path.count - 1)
            let rule =
                certificate.brokenOwnRule(at: place, profile: profile)
                ?? (depth > 0 ? certificate.brokenRule(at: place, below: path[..<depth]) : nil)
            if let rule { return PathProblem(.rule(rule), depth: depth, certificate: certificate) }
        }
        return nil
    }

    /// The position of a certificate in its path.
    struct Place {
        /// 0 is the leaf.
        var depth: Int
        var isAnchor: Bool
        /// Whether it issued another certificate.
        var isIssuer: Bool { depth > 0 }
    }
}

extension X509Certificate {
    /// The first rule that this certificate breaks on its own.
    func brokenOwnRule(at place: CertificateRule.Place, profile: TrustProfile) -> CertificateRule? {
        brokenRule(at: place) ?? (profile == .web ? brokenWebRule(at: place) : nil)
    }

    /// The first rule that this certificate breaks together with those below it, leaf first.
    func brokenRule(at place: CertificateRule.Place, below path: ArraySlice<X509Certificate>)
        -> CertificateRule?
    {
        if let issued = path.last, lacksKeyIdentifier(namedBy: issued, at: place) {
            return .missingSubjectKeyIdentifier
        }
        return brokenNameConstraintRule(below: path)
    }
}
