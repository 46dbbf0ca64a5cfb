// SPDX-License-Identifier: Apache-2.0

extension RevocationCheck {
    /// The maximum number of URLs of each kind that are used of one certificate.
    private static let placesPerCertificate = 2

    /// The URLs to query about a certificate. Only plain http: https would need a certificate whose revocation would
    /// have to be checked (RFC 5280 §8), and the fetched data is signed.
    static func questions(
        about certificate: X509Certificate, issuedBy issuer: X509Certificate, _ flags: RevocationFlags
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

    /// RFC 3986 §3.1: schemes are case-insensitive.
    private static func isPlain(_ url: String) -> Bool { url.prefix { $0 != "/" }.lowercased() == "http:" }
}
