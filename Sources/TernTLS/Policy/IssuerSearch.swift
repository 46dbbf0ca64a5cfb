// SPDX-License-Identifier: Apache-2.0
// The URL is the choice of a server that nobody trusts yet, and so is each URL in what is fetched: the number of requests
// is bounded for all levels together, and no URL is asked twice, so that loops end. What comes back is one more candidate for
// the path, no more: it is taken only if it is the issuer, and the evaluation is then repeated as a whole.

/// The search for the issuers that one server did not send (RFC 5280 §4.2.2.1).
package struct IssuerSearch: Sendable {
    /// Chains in use have at most three intermediates.
    static let maximumQuestions = 4
    /// The maximum number of URLs that are used of one certificate.
    private static let placesPerCertificate = 2

    private var asked: [RevocationQuestion] = []

    /// Starts a search.
    package init() {}

    /// The next question; nil if the verdict does not depend on a missing issuer, or there is no place left to ask.
    package func question(about result: ServerTrustResult) -> RevocationQuestion? {
        guard asked.count < Self.maximumQuestions, let certificate = result.certificateWithoutIssuer else { return nil }
        return Self.questions(about: certificate).first { !asked.contains($0) }
    }

    /// Records the answer to a question about `result`.
    ///
    /// - Returns: the issuer, and those above it that came along; empty if the answer does not have it.
    package mutating func take(
        _ answer: RevocationAnswer, to question: RevocationQuestion, about result: ServerTrustResult
    ) -> [FetchedIssuer] {
        asked.append(question)
        guard case .issuers(let candidates) = answer, let certificate = result.certificateWithoutIssuer else {
            return []
        }
        return Self.issuers(of: certificate, among: candidates).map { FetchedIssuer($0, from: question.url) }
    }

    /// Only plain http: https would need a certificate whose issuer might be missing, too (RFC 5280 §8).
    fileprivate static func questions(about certificate: X509Certificate) -> [RevocationQuestion] {
        certificate.x509.issuerURLs.filter(RevocationCheck.isPlain).prefix(placesPerCertificate).map {
            .issuer(url: $0)
        }
    }

    /// Those with the issuer's name and key, then their own issuers. Signatures are verified here so that a wrong
    /// certificate does not hide that the right one is missing.
    private static func issuers(
        of certificate: X509Certificate, among candidates: [X509Certificate]
    ) -> [X509Certificate] {
        var seen: Set<X509Certificate> = []
        var rest = candidates.filter {
            $0.hasSupportedKey && CertificateSize($0).crossedLimit == nil && seen.insert($0).inserted
        }
        var path = [certificate]
        var checks = CertificateCheckCache()
        var budget = EvaluationBudget.onReactor
        var position = 0
        while position < path.count {
            let issued = path[position]
            let issuers = rest.filter {
                $0.mayHaveIssued(issued) && checks.isSigned(issued, by: $0, within: &budget) == true
            }
            path += issuers
            rest.removeAll(where: issuers.contains)
            position += 1
        }
        return Array(path.dropFirst())
    }
}

extension ServerTrustResult {
    /// The certificate where the chain ends before it has reached an anchor, if that is why the server is refused.
    fileprivate var certificateWithoutIssuer: X509Certificate? {
        if case .missingIssuer? = failure?.reason { failure?.certificate } else { nil }
    }

    /// Questions that may change the verdict, whether they have been asked or not.
    package var openQuestions: [RevocationQuestion] {
        revocation.flatMap(\.questions) + (certificateWithoutIssuer.map(IssuerSearch.questions) ?? [])
    }
}
