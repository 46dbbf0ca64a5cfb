// SPDX-License-Identifier: Apache-2.0

/// Why a body cannot be decoded as its `Content-Encoding` requires. The content decoded before has been delivered.
///
/// Bytes after the end of a coded body are no error, as in browsers and curl: after a gzip member they begin the next
/// one if they are its magic number, and are skipped otherwise.
public enum ContentDecodingError: Error, Sendable, Hashable {
    /// The bytes are invalid in the coding: its name and zlib's words, such as `no gzip: incorrect header check`.
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
    /// What is wrong, for example `the body is no gzip: incorrect header check`.
    public var description: String {
        switch self {
        case .malformed(let flaw): "the body is \(flaw)"
        case .truncated: "the body ends before its Content-Encoding does"
        case .checksum: "the decoded body does not match its checksum or length (RFC 1950 §2.2, RFC 1952 §2.3.1)"
        case .tooLarge(let limit): "the decoded body exceeds \(limit) bytes"
        case .ratioExceeded(let limit): "decoding makes more than \(limit) bytes of each byte of the body"
        case .tooManyCodings(let limit): "the body is coded more than \(limit) times"
        case .outOfMemory: "zlib got no memory to decode the body"
        }
    }
}
