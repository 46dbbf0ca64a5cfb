// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// The path that pins are compared with when a policy does not validate the chain: the leaf, followed by authorities
/// whose keys really signed the certificate below. Dates, names, purposes and anchors are not checked.
///
/// Comparing pins with the list the server sent would be worthless: anyone can append a pinned certificate to it. Even
/// so only a pinned *leaf* protects here. A pinned authority accepts whatever it has signed, for any host.
struct SignedPath {
    var trust: ServerTrust

    private static let maximumLength = 10
    /// A bound on work that does not affect honest chains: each certificate has one issuer, and a few candidates that
    /// share its name.
    private static let maximumSignatureChecks = 32

    /// - Parameter budget: the allowed work. If less than a whole allowance is exceeded, the path is meaningless.
    func build(within budget: inout EvaluationBudget) -> [X509Certificate] {
        defer { OpenSSLError.clear() }
        guard let leaf = trust.sentChain.first else { return [] }
        guard budget.spend(trust.sentChain.reduce(0) { $0 + CertificateSize($1).readingCost }) else { return [leaf] }
        let sent = trust.sentChain.dropFirst().filter(\.hasSupportedKey)
        var path = [leaf]
        var checks = 0
        while path.count < Self.maximumLength, let last = path.last, !last.mayHaveIssued(last) {
            let candidates = trust.anchors.store.certificates(issuing: last) + sent
            let issuer = candidates.first { candidate in
                guard !path.contains(candidate), mayIssue(candidate, last) else { return false }
                checks += 1
                return checks <= Self.maximumSignatureChecks && budget.spend(candidate.verificationCost)
                    && signed(last, by: candidate)
            }
            guard let issuer else { break }
            path.append(issuer)
        }
        return path
    }

    private func mayIssue(_ candidate: X509Certificate, _ certificate: X509Certificate) -> Bool {
        unsafe candidate.mayHaveIssued(certificate) && X509_check_ca(candidate.x509.pointer) != 0
    }

    private func signed(_ certificate: X509Certificate, by issuer: X509Certificate) -> Bool {
        var strength: Int32 = 0
        guard let key = unsafe X509_get0_pubkey(issuer.x509.pointer),
            unsafe X509_get_signature_info(certificate.x509.pointer, nil, nil, &strength, nil) == 1
        else { return false }
        // A signature that can be forged (MD5, SHA-1) proves nothing.
        guard strength >= 112, unsafe EVP_PKEY_get_security_bits(key) >= 112 else { return false }
        return unsafe X509_verify(certificate.x509.pointer, key) == 1
    }
}
