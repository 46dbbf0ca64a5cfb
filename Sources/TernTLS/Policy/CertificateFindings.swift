// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// What one certificate of a chain says for itself, and what an evaluation found wrong with it.
public struct CertificateFindings: Sendable, Hashable {
    /// Where in its chain a certificate stands.
    public enum Role: String, Sendable, Hashable {
        /// The server's own.
        case leaf
        /// An authority between the two.
        case intermediate
        /// The end of a chain that was validated.
        case anchor
    }

    /// How the dates stand at the moment of the evaluation.
    public enum Dates: Sendable, Hashable {
        /// Valid, for this number of whole days more.
        case current(daysLeft: Int)
        /// No longer valid.
        case expired
        /// Not valid so far.
        case notYetValid
        /// The certificate's own times are nonsense.
        case unreadable
    }

    /// The position in the chain; 0 is the leaf.
    public let depth: Int
    /// Where it stands.
    public let role: Role
    /// The certificate itself.
    public let certificate: X509Certificate
    /// In a form that can be pinned.
    public let publicKey: X509Certificate.PublicKey
    /// Whether it was valid at the moment of the evaluation.
    public let dates: Dates
    /// What it is made out to, as `subjectAltName` has it.
    public let names: [SubjectAlternativeName]
    /// Such as `EC prime256v1` or `RSA 2048`.
    public let key: String
    /// What breaking the key costs, in bits; below 112 it is refused.
    public let keySecurityBits: Int
    /// Such as `ecdsa-with-SHA256`.
    public let signature: String
    /// What forging the signature's hash costs, in bits; below 112 it is refused, unless it is an anchor's.
    public let signatureSecurityBits: Int
    /// Whether it may issue certificates.
    public let isAuthority: Bool
    /// `basicConstraints`, `keyUsage`, `extendedKeyUsage` and `nameConstraints` in words; nil where there are none.
    public let basicConstraints, keyUsage, extendedKeyUsage, nameConstraints: String?
    /// What is known about its revocation, and where from; nil if the policy does not ask.
    public let revocation: RevocationFinding?
    /// The failure, if it is this certificate's.
    public let failure: TrustFailure?

    init(
        _ certificate: X509Certificate, depth: Int, role: Role, time: Int64, revocation: RevocationFinding?,
        failure: TrustFailure?
    ) {
        let x509 = certificate.x509
        self.depth = depth
        self.role = role
        self.certificate = certificate
        publicKey = certificate.publicKey
        dates = Dates(certificate, at: time)
        names = certificate.subjectAlternativeNames
        key = x509.keyDescription
        keySecurityBits = x509.keySecurityBits
        signature = x509.signatureDescription
        signatureSecurityBits = x509.signatureSecurityBits
        isAuthority = x509.isAuthority
        basicConstraints = x509.text(ofExtension: NID_basic_constraints)
        keyUsage = x509.text(ofExtension: NID_key_usage)
        extendedKeyUsage = x509.text(ofExtension: NID_ext_key_usage)
        nameConstraints = x509.text(ofExtension: NID_name_constraints)
        self.revocation = revocation
        self.failure = failure.flatMap { $0.certificate == certificate ? $0 : nil }
    }
}

extension CertificateFindings.Dates {
    init(_ certificate: X509Certificate, at time: Int64) {
        guard let notBefore = certificate.notBefore, let notAfter = certificate.notAfter else {
            self = .unreadable
            return
        }
        if time < notBefore {
            self = .notYetValid
        } else if time > notAfter {
            self = .expired
        } else {
            let (left, overflows) = notAfter.subtractingReportingOverflow(time)
            self = .current(daysLeft: overflows ? .max : Int(left / 86400))
        }
    }
}

extension ServerTrustResult {
    /// What `findings` are about.
    public enum Chain: String, Sendable, Hashable {
        /// The chain that was validated.
        case verified
        /// A path whose signatures hold, and nothing more.
        case signed
        /// The list the server sent, which proves nothing.
        case sent
    }

    /// The best chain there is to look at: once a server is refused, often only what it sent.
    public var chain: Chain { verifiedChain.isEmpty ? .sent : isChainValidated ? .verified : .signed }

    /// Everything there is to say about each certificate of `chain`, leaf first. Reads the certificates when it is
    /// called.
    public var findings: [CertificateFindings] {
        let certificates = verifiedChain.isEmpty ? sentChain : verifiedChain
        return certificates.enumerated().map { depth, certificate in
            let isAnchor = isChainValidated && depth == certificates.count - 1
            return CertificateFindings(
                certificate, depth: depth, role: depth == 0 ? .leaf : isAnchor ? .anchor : .intermediate, time: time,
                revocation: revocation.first { $0.certificate == certificate }, failure: failure)
        }
    }
}
