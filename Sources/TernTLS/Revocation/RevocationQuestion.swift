// SPDX-License-Identifier: Apache-2.0

/// A question about a certificate's revocation that can be sent over the network. This module cannot send it; its
/// caller can.
public enum RevocationQuestion: Sendable, Hashable {
    /// POST the DER `OCSPRequest` to the URL, as `application/ocsp-request` (RFC 6960 §A.1).
    case ocsp(url: String, request: [UInt8])
    /// GET the list at the URL.
    case list(url: String)

    /// The URL to ask.
    public var url: String {
        switch self {
        case .ocsp(let url, _), .list(let url): url
        }
    }
}

/// The answer.
public enum RevocationAnswer: Sendable {
    /// The response of a responder.
    case response(OCSPResponse)
    /// A list.
    case list(CertificateRevocationList)
    /// No answer, or none in time.
    case none
}
