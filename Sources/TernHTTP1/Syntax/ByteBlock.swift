// SPDX-License-Identifier: Apache-2.0

/// Sixteen bytes of a span, classified at once. The searches in `Span+Search.swift` are built from it.
///
/// The casts below are sound: all types in play are sixteen bytes, and every bit pattern is a value of each.
struct ByteBlock {
    static let width = 16

    private let words: SIMD2<UInt64>

    private var lanes: SIMD16<UInt8> {
        @inline(__always) get { unsafe unsafeBitCast(words, to: SIMD16<UInt8>.self) }
    }

    /// Reads `bytes[offset..<offset + 16]`.
    ///
    /// Unsafe, because it does not check that they are there: its callers are searches that just have, and checking
    /// twice costs a tenth of the time a head takes.
    @unsafe @inline(__always)
    init(unchecked bytes: Span<UInt8>, at offset: Int) {
        words = unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: SIMD2<UInt64>.self)
    }

    /// The first byte below 0x20, or 16.
    @inline(__always)
    var firstControl: Int {
        Self.firstSet(Self.bits(lanes .< SIMD16(repeating: .space)))
    }

    /// The first byte that is neither letter, digit nor "-", or 16: a superset of what ends a field name.
    @inline(__always)
    var firstUncommonInName: Int {
        // Or-ing the words and not the lanes: bitwise operators on byte lanes are not vectorised.
        let folded = unsafe unsafeBitCast(words | SIMD2(repeating: 0x2020_2020_2020_2020), to: SIMD16<UInt8>.self)
        let letters = Self.bits((folded &- SIMD16(repeating: 0x61)) .< SIMD16(repeating: 26))
        let digits = Self.bits((lanes &- SIMD16(repeating: .zero)) .< SIMD16(repeating: 10))
        let hyphens = Self.bits(lanes .== SIMD16(repeating: 0x2D))
        return Self.firstSet(~(letters | digits | hyphens))
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
