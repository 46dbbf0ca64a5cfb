// SPDX-License-Identifier: Apache-2.0

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

    /// Spaces and tabs may follow a chunk size, as some old servers pad it to a fixed width.
    public static let paddedChunkSize = ParsingLeniency(rawValue: 1 << 1)

    /// An HTTP/1.0 response may be chunked. RFC 9112 §6.1 calls its framing faulty; with this option the content is
    /// decoded and the connection is closed afterwards.
    public static let chunkedInHTTP10 = ParsingLeniency(rawValue: 1 << 2)
}
