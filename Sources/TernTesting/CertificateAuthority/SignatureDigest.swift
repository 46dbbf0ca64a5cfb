// SPDX-License-Identifier: Apache-2.0

/// The hash of a certificate's signature. Ignored by Ed25519, which has its own.
public enum SignatureDigest: String, Sendable, Hashable {
    /// SHA-256, which nearly all certificates use.
    case sha256
    /// SHA-384.
    case sha384
    /// SHA-512.
    case sha512
    /// SHA-1, broken; clients refuse it. For negative tests.
    case sha1
    /// MD5, broken; clients refuse it. For negative tests.
    case md5
}
