// SPDX-License-Identifier: Apache-2.0

/// The key a certificate is made for.
public enum KeyKind: Sendable, Hashable {
    /// The NIST curve P-256, which every client accepts.
    case p256
    /// The NIST curve P-384.
    case p384
    /// The NIST curve P-521.
    case p521
    /// Ed25519, which no browser accepts of a server.
    case ed25519
    /// An RSA key of this many bits; 2048 and more are accepted by clients, 1024 is a weak key to be refused.
    case rsa(bits: Int)
    /// A curve by OpenSSL's name, such as `secp224r1`; few but the NIST ones are accepted by clients.
    case curve(String)
    /// A key that exists already, as PKCS#8 PEM: certificates that are renewed or cross-signed keep their key.
    case existing(privateKeyPEM: String)
}
