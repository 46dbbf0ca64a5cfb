// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// The results of a search about single certificates, and about which key signed which: they are the same on every
/// path, so each is computed once.
///
/// Certificates are identified by their address, which is stable while the search retains them.
struct CertificateCheckCache {
    private struct Place: Hashable {
        let certificate: UInt
        let isAnchor: Bool
    }

    private struct Signature: Hashable {
        let certificate: UInt
        let key: Int
    }

    private var sizes: [UInt: CertificateSize] = [:]
    private var rules: [Place: CertificateRule?] = [:]
    private var keys: [X509Certificate.PublicKey: Int] = [:]
    private var keyNumbers: [UInt: Int] = [:]
    private var signatures: [Signature: Bool] = [:]
    private var anchors: [UInt: [X509Certificate]] = [:]

    mutating func size(of certificate: X509Certificate) -> CertificateSize {
        let address = certificate.x509.address
        if let known = sizes[address] { return known }
        let size = CertificateSize(certificate)
        sizes[address] = size
        return size
    }

    /// The first rule that an issuer breaks on its own.
    mutating func rule(
        brokenBy certificate: X509Certificate, at place: CertificateRule.Place, profile: TrustProfile
    ) -> CertificateRule? {
        let key = Place(certificate: certificate.x509.address, isAnchor: place.isAnchor)
        if let known = rules[key] { return known }
        let rule = certificate.brokenOwnRule(at: place, profile: profile)
        rules[key] = .some(rule)
        return rule
    }

    /// Whether the issuer's key signed the certificate; nil if the budget is used up.
    mutating func isSigned(
        _ certificate: X509Certificate, by issuer: X509Certificate, within budget: inout EvaluationBudget
    )
        -> Bool?
    {
        let signature = Signature(certificate: certificate.x509.address, key: number(ofKeyOf: issuer))
        if let known = signatures[signature] { return known }
        guard budget.spend(issuer.verificationCost) else { return nil }
        defer { OpenSSLError.clear() }
        let key = unsafe X509_get0_pubkey(issuer.x509.pointer)
        let holds = unsafe key != nil && X509_verify(certificate.x509.pointer, key) == 1
        signatures[signature] = holds
        return holds
    }

    private mutating func number(ofKeyOf certificate: X509Certificate) -> Int {
        let address = certificate.x509.address
        if let known = keyNumbers[address] { return known }
        let key = certificate.publicKey
        let number = keys[key] ?? keys.count
        keys[key] = number
        keyNumbers[address] = number
        return number
    }

    mutating func anchors(
        issuing certificate: X509Certificate, in store: TrustStore, within budget: inout EvaluationBudget
    ) -> [X509Certificate] {
        let address = certificate.x509.address
        if let known = anchors[address] { return known }
        let found = store.certificates(issuing: certificate)
        // The names and identifiers have been compared by now; the rest of the check is skipped.
        let usable = budget.spend(2 + found.count / 4) ? found : []
        anchors[address] = usable
        return usable
    }
}
