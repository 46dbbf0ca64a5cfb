// SPDX-License-Identifier: Apache-2.0

/// Maximum costs of decoding a body. Every limit is inclusive; a value below its minimum counts as the minimum.
///
/// Whatever the limits, a body is decoded in chunks of 64 KB and no faster than it is read.
public struct ContentDecodingLimits: Sendable, Hashable {
    /// The maximum number of codings applied to one body, 0 or more. RFC 9110 §8.4 sets no limit; more than one is
    /// rarely useful, and each costs memory: 110 KB for gzip and deflate, and the window that the server chooses for br
    /// and zstd: up to 20 MB for br, whose window has at most 16 MB (RFC 7932 §9.1), and up to 9 MB for zstd, whose
    /// window may have 8 MB (RFC 9659 §3).
    public var maximumCodingCount = 3
    /// The maximum length of a decoded body in bytes; nil sets no limit.
    public var maximumDecodedSize: Int?
    /// The maximum number of bytes produced for each received byte, 1 or more; it applies to the result and to the
    /// output of each of several codings.
    ///
    /// Deflate produces at most 258 bytes from two bits, so no body is refused whose only coding is gzip or deflate,
    /// unless you set a lower limit, and several codings in a row produce no more than that. Those of br and zstd can
    /// expand further, to 128 KB from four bytes and more, and are refused beyond the limit, as well: raise it if your
    /// server sends megabytes that consist of repetitions.
    public var maximumExpansionRatio = 1032
    /// The number of bytes that may be produced before ``maximumExpansionRatio`` applies.
    public var expansionAllowance = 1024 * 1024

    /// Creates limits with default values for those not given.
    public init() {}

    /// A copy with every limit at its minimum or above.
    var clamped: ContentDecodingLimits {
        var limits = self
        limits.maximumCodingCount = max(0, maximumCodingCount)
        limits.maximumDecodedSize = maximumDecodedSize.map { max(0, $0) }
        limits.maximumExpansionRatio = max(1, maximumExpansionRatio)
        limits.expansionAllowance = max(0, expansionAllowance)
        return limits
    }
}
