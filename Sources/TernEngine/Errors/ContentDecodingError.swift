// SPDX-License-Identifier: Apache-2.0

/// Why a body cannot be decoded as its `Content-Encoding` requires. The content decoded before has been delivered.
///
/// Bytes after the end of a coded body are no error, as in browsers and curl: after a gzip member they begin the next
/// one if they are its magic number, and are skipped otherwise.
public enum ContentDecodingError: Error, Sendable, Hashable {
    /// The bytes are invalid in the coding; in zlib's words.
    case malformed(String)
    /// The body ended before its coding did. An empty body is complete.
    case truncated
    /// A checksum or length in the body does not match the decoded content.
    case checksum
    /// The decoded body is larger than `ContentDecodingLimits.maximumDecodedSize`.
    case tooLarge(limit: Int)
    /// The body grew by more than `ContentDecodingLimits.maximumExpansionRatio`.
    case ratioExceeded(limit: Int)
    /// More codings were applied than `ContentDecodingLimits.maximumCodingCount`.
    case tooManyCodings(limit: Int)
    /// zlib could not allocate memory.
    case outOfMemory
}

extension ContentDecodingError: CustomStringConvertible {
    /// The rule that was broken, for example `the body is as its Content-Encoding says (RFC 9110 §8.4): invalid block
    /// type`.
    public var description: String {
        switch self {
        case .malformed(let flaw): "the body is as its Content-Encoding says (RFC 9110 §8.4): \(flaw)"
        case .truncated: "a coded body is complete (RFC 9110 §8.4)"
        case .checksum: "the body is what its checksum and length say (RFC 1950 §2.2, RFC 1952 §2.3.1)"
        case .tooLarge(let limit): "a decoded body has at most \(limit) bytes"
        case .ratioExceeded(let limit): "decoding makes at most \(limit) bytes of one"
        case .tooManyCodings(let limit): "a body is coded at most \(limit) times"
        case .outOfMemory: "zlib was given no memory"
        }
    }
}
