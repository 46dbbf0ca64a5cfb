// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// The contents of one certificate of a chain, and the problems that an evaluation found with it.
public struct CertificateFindings: Sendable, Hashable {
    /// The position of a certificate in its chain.
    public enum Role: String, Sendable, Hashable {
        /// The server's own certificate.
        case leaf
        /// An intermediate authority.
        case intermediate
        /// The end of a validated chain.
        case anchor
    }

    /// The validity dates at the moment of the evaluation.
    public enum Dates: Sendable, Hashable {
        /// Valid, with this number of whole days left.
        case current(daysLeft: Int)
        /// Expired.
        case expired
        /// Not yet valid.
        case notYetValid
        /// The certificate's dates cannot be read.
        case unreadable
    }

    /// The position in the chain; 0 is the leaf.
    public let depth: Int
    /// Its role in the chain.
    public let role: Role
    /// The certificate itself.
    public let certificate: X509Certificate
    /// The key as a pin.
    public let publicKey: X509Certificate.PublicKey
    /// The validity at the moment of the evaluation.
    public let dates: Dates
    /// The names in `subjectAltName`.
    public let names: [SubjectAlternativeName]
    /// The key's algorithm, for example `EC prime256v1` or `RSA 2048`.
    public let key: String
    /// The security strength of the key in bits; a key below 112 is refused.
    public let keySecurityBits: Int
    /// The signature's algorithm, for example `ecdsa-with-SHA256`.
    public let signature: String
    /// The security strength of the signature's hash in bits; below 112 it is refused, except in an anchor.
    public let signatureSecurityBits: Int
    /// Whether the certificate may issue certificates.
    public let isAuthority: Bool
    /// `basicConstraints`, `keyUsage`, `extendedKeyUsage` and `nameConstraints` as text; nil for absent ones.
    public let basicConstraints, keyUsage, extendedKeyUsage, nameConstraints: String?
    /// The revocation status and its source; nil if the policy does not check revocation.
    public let revocation: RevocationFinding?
    /// The URL that the certificate was fetched from, because the server did not send it; nil if it did.
    public let fetchedFrom: String?
    /// The failure, if it concerns this certificate.
    public let failure: TrustFailure?

    init(
        _ certificate: X509Certificate, depth: Int, role: Role, dates: Dates, revocation: RevocationFinding?,
        fetchedFrom: String? = nil, failure: TrustFailure?
    ) {
        let x509 = certificate.x509
        self.depth = depth
        self.role = role
        self.certificate = certificate
        publicKey = certificate.publicKey
        self.dates = dates
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
        self.fetchedFrom = fetchedFrom
        self.failure = failure.flatMap { $0.certificate == certificate ? $0 : nil }
    }
}

extension CertificateFindings.Dates {
    /// - Parameter isBetweenSeconds: whether the moment is a fraction of a second after `time`.
    init(_ certificate: X509Certificate, at time: Int64, isBetweenSeconds: Bool = false) {
        guard let notBefore = certificate.notBefore, let notAfter = certificate.notAfter else {
            self = .unreadable
            return
        }
        if time < notBefore {
            self = .notYetValid
        } else if isBetweenSeconds ? time >= notAfter : time > notAfter {
            self = .expired
        } else {
            let (left, overflows) = notAfter.subtractingReportingOverflow(time)
            self = .current(daysLeft: overflows ? .max : Int(left / 86400))
        }
    }
}

extension ServerTrustResult {
    /// The chain that `findings` describe.
    public enum Chain: String, Sendable, Hashable {
        /// The validated chain.
        case verified
        /// A path whose signatures are valid, but which was not validated otherwise.
        case signed
        /// The list that the server sent, which is not verified.
        case sent
    }

    /// The best available chain: for a refused server, often only the list that it sent.
    public var chain: Chain { verifiedChain.isEmpty ? .sent : isChainValidated ? .verified : .signed }

    /// All findings about each certificate of `chain`, leaf first. Reads the certificates on each call.
    public var findings: [CertificateFindings] {
        let certificates = verifiedChain.isEmpty ? sentChain : verifiedChain
        let fetched = fetchedIssuers
        return certificates.enumerated().map { depth, certificate in
            let isAnchor = isChainValidated && depth == certificates.count - 1
            return CertificateFindings(
                certificate, depth: depth, role: depth == 0 ? .leaf : isAnchor ? .anchor : .intermediate,
                dates: CertificateFindings.Dates(certificate, at: time, isBetweenSeconds: isBetweenSeconds),
                revocation: revocation.first { $0.certificate == certificate },
                fetchedFrom: fetched.first { $0.certificate == certificate }?.url, failure: failure)
        }
    }
}

extension ServerTrustResult: CustomStringConvertible {
    public var description: String { explanation }

    /// Several lines for people: the verdict, the rule, and every key in the form of a pin.
    public var explanation: String {
        var lines = [
            "\(host.isEmpty ? "any host" : host): \(isAccepted ? "accepted" : "refused")", "policy: \(policy)",
        ]
        if let failure {
            lines.append("reason: \(failure.sentence)")
            if !failure.verifyText.isEmpty {
                lines.append("openssl: error \(failure.verifyCode) at depth \(failure.depth): \(failure.verifyText)")
            }
        }
        if let overridden { lines.append("refused by the policy, accepted by a delegate: \(overridden.sentence)") }
        if let waived { lines.append("not refused, only reported: \(waived.sentence)") }
        if let rehearsed {
            lines.append(
                "rehearsed policy: \(rehearsed.isAccepted ? "would accept" : "would refuse"): \(rehearsed.sentence)")
        }
        lines += fetchedIssuers.map { "incomplete: \($0)" }
        if let transparency {
            lines.append("certificate timestamps: \(transparency.sentence)")
            lines += transparency.findings.map { "     \($0)" }
        }
        lines += section(
            isChainValidated ? "verified chain:" : "path whose signatures hold, not validated:", verifiedChain)
        if verifiedChain.isEmpty { lines += section("sent by the server, not verified:", sentChain) }
        switch (failure ?? overridden ?? waived)?.reason {
        case .keyNotPinned(let pins): lines += ["pinned keys:"] + pins.map { "     \($0.pin)" }
        case .certificateNotPinned(let pins): lines += section("pinned certificates:", pins)
        default: break
        }
        return lines.joined(separator: "\n")
    }

    private func section(_ title: String, _ certificates: [X509Certificate]) -> [String] {
        guard !certificates.isEmpty else { return [] }
        return [title]
            + certificates.enumerated().flatMap { depth, certificate in
                [
                    "  \(depth)  \(certificate)",
                    "     \(certificate.publicKey.pin)",
                    "     \(Timestamp.text(certificate.notBefore)) to \(Timestamp.text(certificate.notAfter))",
                ]
            }
    }
}
