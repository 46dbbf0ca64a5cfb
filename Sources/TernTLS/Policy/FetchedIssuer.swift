// SPDX-License-Identifier: Apache-2.0

/// A certificate that a server should have sent, and that was fetched instead (RFC 5280 §4.2.2.1).
public struct FetchedIssuer: Sendable, Hashable {
    /// The certificate. It is trusted only as part of a verified chain.
    public let certificate: X509Certificate
    /// The URL that it came from, which the certificate below it names.
    public let url: String

    /// Creates a fetched certificate, without checking it.
    public init(_ certificate: X509Certificate, from url: String) {
        self.certificate = certificate
        self.url = url
    }
}

extension FetchedIssuer: CustomStringConvertible {
    /// What the operator of the server should know, as a sentence without a full stop.
    public var description: String {
        "the server did not send \(certificate), which was fetched from \(ShortenedText.shortened(url)): append it to "
            + "the certificates that the server sends"
    }
}
