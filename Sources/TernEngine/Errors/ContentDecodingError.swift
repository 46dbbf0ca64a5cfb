// SPDX-License-Identifier: Apache-2.0

/// Why a body cannot be decoded as its `Content-Encoding` requires. The content decoded before has been delivered,
/// but for what br and zstd have in the part with the error.
///
/// Bytes after the end of a coded body are no error, as in browsers: after a gzip member or a zstd frame they begin the
/// next one if they are its magic number, and are skipped otherwise; after deflate and br they are skipped.
public enum ContentDecodingError: Error, Sendable, Hashable {
    /// The bytes are invalid in the coding: its name and its library's words, such as `no gzip: incorrect header check`.
    case malformed(String)
    /// The body ended before its coding did. An empty body is complete.
    case truncated
    /// A checksum or length in the body does not match the decoded content.
    case checksum
    /// The decoded body is larger than `ContentDecodingLimits.maximumDecodedSize`.
    case tooLarge(limit: Int)
    /// The coding needs a dictionary, which the peer does not send (RFC 1950 §2.2, RFC 8878 §5).
    case dictionaryNeeded
    /// The coding needs a window of more bytes than anybody must provide: zstd of more than 8 MB (RFC 9659 §3).
    case windowTooLarge(limit: Int)
    /// The body grew by more than `ContentDecodingLimits.maximumExpansionRatio`.
    case ratioExceeded(limit: Int)
    /// More codings were applied than `ContentDecodingLimits.maximumCodingCount`.
    case tooManyCodings(limit: Int)
    /// The library of the coding could not allocate memory.
    case outOfMemory
}

extension ContentDecodingError: CustomStringConvertible {
    /// What is wrong, for example `the body is no gzip: incorrect header check`.
    public var description: String {
        switch self {
        case .malformed(let flaw): "the body is \(flaw)"
        case .truncated: "the body ends before its Content-Encoding does"
        case .checksum:
            "the decoded body does not match its checksum or length (RFC 1950 §2.2, RFC 1952 §2.3.1, RFC 8878 §3.1.1)"
        case .dictionaryNeeded: "the body can be decoded only with a dictionary (RFC 1950 §2.2, RFC 8878 §5)"
        case .windowTooLarge(let limit):
            "the body can be decoded only with a window of more than \(limit) bytes (RFC 9659 §3)"
        case .tooLarge(let limit): "the decoded body exceeds \(limit) bytes"
        case .ratioExceeded(let limit): "decoding makes more than \(limit) bytes of each byte of the body"
        case .tooManyCodings(let limit): "the body is coded more than \(limit) times"
        case .outOfMemory: "there is no memory to decode the body"
        }
    }
}
