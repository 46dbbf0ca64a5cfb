// SPDX-License-Identifier: Apache-2.0

/// The streams of one coding from end to end, and the bytes around them. Each call is bounded by its input, by the
/// room, and by where the next costly part begins.
protocol CodedStreams: ~Copyable {
    /// What the work so far has cost beyond its bytes, in bytes: ``DecodingChain`` says why.
    var surcharge: Int { get }
    /// Whether the coding may end here. An empty body is valid with any coding: servers label them so.
    var isComplete: Bool { get }
    /// There is room, and there is a byte to read or something held.
    mutating func decode(
        _ bytes: Span<UInt8>, from offset: inout Int, into output: inout OutputSpan<UInt8>
    ) -> Inflater.Outcome
}
