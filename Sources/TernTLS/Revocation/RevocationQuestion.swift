// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

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

    /// A certificate may name many places; this many of each kind are enough.
    private static let placesPerCertificate = 2

    /// What can be asked about a certificate. Only plain http: to fetch over https would need a certificate whose
    /// revocation would have to be checked (RFC 5280 §8), and what is fetched is signed anyway.
    static func all(
        about certificate: Certificate, issuedBy issuer: Certificate, _ flags: RevocationFlags
    ) -> [RevocationQuestion] {
        if flags.contains(.networkAccessDisabled) { return [] }
        var responders: [RevocationQuestion] = []
        if flags.contains(.ocsp), let request = OCSPCheck(certificate: certificate, issuer: issuer).request {
            responders = certificate.x509.responderURLs.filter(isPlain).prefix(placesPerCertificate)
                .map { .ocsp(url: $0, request: request) }
        }
        var lists: [RevocationQuestion] = []
        if flags.contains(.crl) {
            lists = certificate.x509.listURLs.filter(isPlain).prefix(placesPerCertificate).map { .list(url: $0) }
        }
        return flags.contains(.preferCRL) ? lists + responders : responders + lists
    }

    /// RFC 3986 §3.1: a scheme has no case.
    private static func isPlain(_ url: String) -> Bool { url.prefix { $0 != "/" }.lowercased() == "http:" }
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
