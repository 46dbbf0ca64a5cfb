// SPDX-License-Identifier: Apache-2.0

/// The kind of a certificate's key.
public enum KeyKind: Sendable, Hashable {
    /// The NIST curve P-256, which every client accepts.
    case p256
    /// The NIST curve P-384.
    case p384
    /// The NIST curve P-521.
    case p521
    /// Ed25519, which no browser accepts from a server.
    case ed25519
    /// An RSA key of this many bits; clients accept 2048 and more, 1024 is a weak key that they refuse.
    case rsa(bits: Int)
    /// A curve by OpenSSL's name, such as `secp224r1`; clients accept few other than the NIST ones.
    case curve(String)
    /// An existing key, as PKCS#8 PEM: certificates that are renewed or cross-signed keep their key.
    case existing(privateKeyPEM: String)
}
