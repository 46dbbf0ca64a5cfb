// SPDX-License-Identifier: Apache-2.0

/// The hash a certificate is signed over. Ignored by Ed25519, which brings its own.
public enum SignatureDigest: String, Sendable, Hashable {
    case sha256, sha384, sha512
    /// Broken; clients refuse it. For negative tests.
    case sha1, md5
}
