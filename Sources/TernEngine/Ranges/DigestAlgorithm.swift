// SPDX-License-Identifier: Apache-2.0

/// A hash by which content can be verified, with its name in `Repr-Digest` (RFC 9530 §5).
public enum DigestAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// SHA-256
    case sha256 = "sha-256"
    /// SHA-512
    case sha512 = "sha-512"

    /// The length of a digest in bytes.
    public var length: Int {
        switch self {
        case .sha256: 32
        case .sha512: 64
        }
    }
}
