// SPDX-License-Identifier: Apache-2.0

/// Sixteen bytes of a span, classified at once. The searches in `Span+Search.swift` are built from it.
///
/// The two `unsafe` below are this module's way from bytes to lanes and from lanes to a word, and both are sound: the
/// load checks its bounds, and every bit pattern is a value of the types read.
struct ByteBlock {
    static let width = 16

    private let lanes: SIMD16<UInt8>

    /// Reads `bytes[offset..<offset + 16]`; the caller knows that so many are there.
    @inline(__always)
    init(_ bytes: Span<UInt8>, at offset: Int) {
        lanes = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
    }

    /// The first byte below 0x20, or 16.
    @inline(__always)
    var firstControl: Int {
        Self.firstSet(Self.bits(lanes .< SIMD16(repeating: .space)))
    }

    /// The first byte that is neither letter, digit nor "-", or 16: a superset of what ends a field name.
    @inline(__always)
    var firstUncommonInName: Int {
        let upper = Self.bits((lanes &- SIMD16(repeating: 0x41)) .< SIMD16(repeating: 26))
        let lower = Self.bits((lanes &- SIMD16(repeating: 0x61)) .< SIMD16(repeating: 26))
        let digits = Self.bits((lanes &- SIMD16(repeating: .zero)) .< SIMD16(repeating: 10))
        let hyphens = Self.bits(lanes .== SIMD16(repeating: 0x2D))
        return Self.firstSet(~(upper | lower | digits | hyphens))
    }

    /// The first line feed, or 16.
    @inline(__always)
    var firstLineFeed: Int {
        Self.firstSet(Self.bits(lanes .== SIMD16(repeating: .lineFeed)))
    }

    /// The mask as two words, a byte of ones for each lane that is set.
    @inline(__always)
    private static func bits(_ mask: SIMDMask<SIMD16<Int8>>) -> SIMD2<UInt64> {
        unsafe unsafeBitCast(mask, to: SIMD2<UInt64>.self)
    }

    @inline(__always)
    private static func firstSet(_ words: SIMD2<UInt64>) -> Int {
        if words[0] != 0 { return words[0].trailingZeroBitCount &>> 3 }
        if words[1] != 0 { return 8 &+ (words[1].trailingZeroBitCount &>> 3) }
        return width
    }
}
