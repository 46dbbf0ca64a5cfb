// SPDX-License-Identifier: Apache-2.0

/// Something that can be asked over the network about a certificate's revocation. This module cannot ask it; its caller
/// can.
public enum RevocationQuestion: Sendable, Hashable {
    /// POST the DER `OCSPRequest` to the URL, as `application/ocsp-request` (RFC 6960 §A.1).
    case ocsp(url: String, request: [UInt8])
    /// GET the list at the URL.
    case list(url: String)

    /// Where to ask.
    public var url: String {
        switch self {
        case .ocsp(let url, _), .list(let url): url
        }
    }
}

/// What came back.
public enum RevocationAnswer: Sendable {
    /// What a responder said.
    case response(OCSPResponse)
    /// A list.
    case list(CertificateRevocationList)
    /// Nothing, or nothing in time.
    case none
}
