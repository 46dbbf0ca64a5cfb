// SPDX-License-Identifier: Apache-2.0

/// Maximum sizes of what a peer sends. Every limit is inclusive, counts bytes without the line end, and lies between
/// zero and 2³⁰; a value outside this range is clamped.
///
/// The defaults admit what browsers and curl admit in practice.
public struct ParsingLimits: Sendable, Hashable {
    /// Bytes in a status line.
    public var maximumStatusLineSize = 8 * 1024
    /// Field lines in a header section.
    public var maximumFieldCount = 256
    /// Bytes in one field line, folded continuations counted one by one; also in a trailer field line.
    public var maximumFieldLineSize = 64 * 1024
    /// Bytes in a header section, line ends included.
    public var maximumFieldSectionSize = 256 * 1024
    /// Bytes in a chunk-size line, extensions included.
    public var maximumChunkLineSize = 4 * 1024
    /// Bytes of chunk framing for every byte of content. Chunks of one byte cost five, so below 5 refuses them.
    public var maximumChunkOverheadRatio = 16
    /// Bytes of chunk framing that are free before ``maximumChunkOverheadRatio`` applies.
    public var chunkOverheadAllowance = 16 * 1024
    /// Field lines in a trailer section.
    public var maximumTrailerCount = 64
    /// Bytes in a trailer section, line ends included.
    public var maximumTrailerSectionSize = 16 * 1024
    /// Informational (1xx) responses before the final one.
    public var maximumInformationalResponseCount = 32

    /// Creates limits with default values for those not given.
    public init() {}

    /// A copy with every limit clamped to between zero and 2³⁰: field positions are 32 bits wide.
    var clamped: ParsingLimits {
        var limits = self
        limits.maximumStatusLineSize.clamp()
        limits.maximumFieldCount.clamp()
        limits.maximumFieldLineSize.clamp()
        limits.maximumFieldSectionSize.clamp()
        limits.maximumChunkLineSize.clamp()
        limits.maximumChunkOverheadRatio.clamp()
        limits.chunkOverheadAllowance.clamp()
        limits.maximumTrailerCount.clamp()
        limits.maximumTrailerSectionSize.clamp()
        limits.maximumInformationalResponseCount.clamp()
        return limits
    }
}

extension Int {
    fileprivate mutating func clamp() {
        self = Swift.min(Swift.max(0, self), 1 << 30)
    }
}

/// Rules that may be relaxed one by one for servers that break them. Empty by default. Each option documents its risk.
/// Rules without an option cannot be relaxed.
public struct ParsingLeniency: OptionSet, Sendable, Hashable {
    /// One bit for each rule that is relaxed.
    public let rawValue: UInt8

    /// Creates options from bits. Bits without an option have no effect.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A line of a head may end in LF alone, as RFC 9112 §2.2 permits a recipient. Never applies to chunk framing or
    /// trailers, where two readings of a line end are a smuggling vector.
    public static let bareLineFeedInHead = ParsingLeniency(rawValue: 1 << 0)

    /// An HTTP/1.0 response may be chunked. RFC 9112 §6.1 calls its framing faulty; with this option the content is
    /// decoded and the connection is closed afterwards.
    public static let chunkedInHTTP10 = ParsingLeniency(rawValue: 1 << 2)
}
