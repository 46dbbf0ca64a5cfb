// SPDX-License-Identifier: Apache-2.0

/// Why a certificate does not prove a workload's name to a policy (X.509-SVID §4, §5).
public enum SPIFFEProblem: Error, Sendable, Hashable {
    /// The certificate has no URI among its names.
    case noID
    /// The certificate has this many URIs among its names, and must have one.
    case severalURIs(Int)
    /// The certificate's URI is not a SPIFFE ID.
    case invalidID(SPIFFEIDError)
    /// The policy has no bundle for the trust domain of the certificate's SPIFFE ID.
    case otherTrustDomain(SPIFFEID)
    /// The chain is valid, and the policy does not allow this SPIFFE ID.
    case otherID(SPIFFEID)
    /// The server's certificate is an authority's.
    case authority
    /// The `keyUsage` of the server's certificate lacks `digitalSignature`, or allows to sign certificates or revocation
    /// lists.
    case keyUsage
    /// The certificate of an authority in the chain has several SPIFFE IDs, an invalid one, or one with a path.
    case invalidIssuer

    /// The problem as a stable word for programs.
    var rule: String {
        switch self {
        case .noID: "spiffe-no-id"
        case .severalURIs: "spiffe-several-uris"
        case .invalidID: "spiffe-invalid-id"
        case .otherTrustDomain: "spiffe-trust-domain"
        case .otherID: "spiffe-id"
        case .authority: "spiffe-authority"
        case .keyUsage: "spiffe-key-usage"
        case .invalidIssuer: "spiffe-issuer"
        }
    }

    /// What is wrong, as a sentence without a full stop.
    package var sentence: String {
        switch self {
        case .noID: "the certificate has no SPIFFE ID"
        case .severalURIs(let count): "the certificate has \(count) URIs, and must have its SPIFFE ID alone"
        case .invalidID(let error): "the certificate's URI is no SPIFFE ID: \(error)"
        case .otherTrustDomain(let id): "there is no bundle for the trust domain of \(ShortenedText.shortened("\(id)"))"
        case .otherID(let id): "\(ShortenedText.shortened("\(id)")) is none of the SPIFFE IDs that the policy allows"
        case .authority: "the certificate of a workload is no authority's, and the server's is"
        case .keyUsage:
            "the certificate of a workload is for digital signatures, and not for signing certificates or lists"
        case .invalidIssuer: "an authority of the chain has a SPIFFE ID that is not that of a trust domain"
        }
    }
}

extension X509Certificate {
    /// The workload that the certificate names (X.509-SVID §2): its only URI. Whether the certificate is valid is another
    /// question, which ``ServerTrustPolicy/spiffe(_:)`` answers.
    public var spiffeID: SPIFFEID? { try? workload() }

    func workload() throws(SPIFFEProblem) -> SPIFFEID {
        let uris = self.uris
        guard let uri = uris.first else { throw .noID }
        guard uris.count == 1 else { throw .severalURIs(uris.count) }
        do throws(SPIFFEIDError) { return try SPIFFEID(uri) } catch { throw .invalidID(error) }
    }

    /// Bytes that no SPIFFE ID has are escaped by others that none has.
    var uris: [String] {
        subjectAlternativeNames.compactMap { if case .uri(let text) = $0 { text } else { nil } }
    }
}
