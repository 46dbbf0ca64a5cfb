// SPDX-License-Identifier: Apache-2.0

/// What decoding a body may cost at most. Every limit is inclusive; what is set below its least value is taken as that.
///
/// Whatever they say, a body is decoded in pieces of 64 KB and no faster than it is read.
public struct ContentDecodingLimits: Sendable, Hashable {
    /// Codings applied to one body, 0 or more. RFC 9110 §8.4 sets no limit; more than one has hardly ever a reason, and
    /// each costs 110 KB.
    public var codings = 3
    /// Bytes of a decoded body; nil sets no limit.
    public var decodedBytes: Int?
    /// Bytes that may be made of each that is received, 1 or more; it holds for the result and for what each of several
    /// codings makes.
    ///
    /// One coding cannot reach more than 1032, for deflate makes at most 258 bytes of two bits. So no body that is
    /// coded once is refused unless you set less, be it a disk full of zeros, and several codings in a row make no more
    /// of it.
    public var expansionRatio = 1032
    /// Bytes that may be made before ``expansionRatio`` applies.
    public var expansionAllowance = 1024 * 1024

    /// The defaults; change what should be otherwise.
    public init() {}

    /// The same with every limit at its least value or above.
    var clamped: ContentDecodingLimits {
        var limits = self
        limits.codings = max(0, codings)
        limits.decodedBytes = decodedBytes.map { max(0, $0) }
        limits.expansionRatio = max(1, expansionRatio)
        limits.expansionAllowance = max(0, expansionAllowance)
        return limits
    }
}
