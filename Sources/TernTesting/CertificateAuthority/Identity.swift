// SPDX-License-Identifier: Apache-2.0

/// A certificate with its private key and the chain that a server sends: everything a TLS server needs.
public struct Identity: Sendable, Hashable {
    /// The leaf alone.
    public let certificatePEM: String
    /// The leaf, then the intermediates, without the root; the list that a server sends.
    public let chainPEM: String
    /// PKCS#8, not encrypted.
    public let privateKeyPEM: String
    /// The leaf's key as `sha256/BASE64`: the SHA-256 of its SubjectPublicKeyInfo.
    public let pin: String

    /// Creates an identity from existing parts, without checking them.
    public init(certificatePEM: String, chainPEM: String, privateKeyPEM: String, pin: String) {
        self.certificatePEM = certificatePEM
        self.chainPEM = chainPEM
        self.privateKeyPEM = privateKeyPEM
        self.pin = pin
    }

    /// Returns the same identity with another chain: incomplete, shuffled, or with unrelated certificates.
    public func sending(chainPEM: String) -> Identity {
        Identity(certificatePEM: certificatePEM, chainPEM: chainPEM, privateKeyPEM: privateKeyPEM, pin: pin)
    }
}
