// SPDX-License-Identifier: Apache-2.0

/// A certificate with its private key and the certificates a server sends along: all a TLS endpoint needs.
public struct Identity: Sendable, Hashable {
    /// The leaf alone.
    public let certificatePEM: String
    /// The leaf, then the intermediates, without the root; what a server sends.
    public let chainPEM: String
    /// PKCS#8, not encrypted.
    public let privateKeyPEM: String
    /// The leaf's key as `sha256/BASE64`: the SHA-256 of its SubjectPublicKeyInfo.
    public let pin: String

    /// From parts made elsewhere; nothing is checked.
    public init(certificatePEM: String, chainPEM: String, privateKeyPEM: String, pin: String) {
        self.certificatePEM = certificatePEM
        self.chainPEM = chainPEM
        self.privateKeyPEM = privateKeyPEM
        self.pin = pin
    }

    /// The same identity that sends other certificates: incomplete, shuffled, or with foreign ones appended.
    public func sending(chainPEM: String) -> Identity {
        Identity(certificatePEM: certificatePEM, chainPEM: chainPEM, privateKeyPEM: privateKeyPEM, pin: pin)
    }
}
