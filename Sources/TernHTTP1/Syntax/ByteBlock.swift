// SPDX-License-Identifier: Apache-2.0

/// Sixteen bytes of a span, classified at once. The searches in `Span+Search.swift` are built from it.
///
/// The casts below are sound: all types in play are sixteen bytes, and every bit pattern is a value of each. Masks are
/// combined as words, because bitwise operators on byte lanes are not vectorised.
struct ByteBlock {
    static let width = 16

    private let words: SIMD2<UInt64>

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
        firstSet(bits(lanes .< SIMD16(repeating: .space)))
    }

    /// The first byte that is neither letter, digit nor "-", or 16: a superset of what ends a field name.
    @inline(__always)
    var firstUncommonInName: Int {
        let folded = unsafe unsafeBitCast(words | SIMD2(repeating: 0x2020_2020_2020_2020), to: SIMD16<UInt8>.self)
        let letters = bits((folded &- SIMD16(repeating: 0x61)) .< SIMD16(repeating: 26))
        let digits = bits((lanes &- SIMD16(repeating: .zero)) .< SIMD16(repeating: 10))
        let hyphens = bits(lanes .== SIMD16(repeating: 0x2D))
        return firstSet(~(letters | digits | hyphens))
    }

    /// The first byte no sender puts into a field value, or 16.
    @inline(__always)
    var firstForbiddenInValue: Int {
        let controls = bits(lanes .< SIMD16(repeating: .space))
        let tabs = bits(lanes .== SIMD16(repeating: .horizontalTab))
        let deletes = bits(lanes .== SIMD16(repeating: .delete))
        return firstSet((controls & ~tabs) | deletes)
    }

    /// The first byte no sender puts into a request target, or 16.
    @inline(__always)
    var firstForbiddenInTarget: Int {
        let visible = bits((lanes &- SIMD16(repeating: 0x21)) .< SIMD16(repeating: 0x5E))
        let hashes = bits(lanes .== SIMD16(repeating: .hash))
        return firstSet(~visible | hashes)
    }

    /// The first line feed, or 16.
    @inline(__always)
    var firstLineFeed: Int {
        firstSet(bits(lanes .== SIMD16(repeating: .lineFeed)))
    }

    @inline(__always)
    private var lanes: SIMD16<UInt8> {
        unsafe unsafeBitCast(words, to: SIMD16<UInt8>.self)
    }

    /// A mask as two words, a byte of ones for each lane that is set.
    @inline(__always)
    private func bits(_ mask: SIMDMask<SIMD16<Int8>>) -> SIMD2<UInt64> {
        unsafe unsafeBitCast(mask, to: SIMD2<UInt64>.self)
    }

    @inline(__always)
    private func firstSet(_ words: SIMD2<UInt64>) -> Int {
        if words[0] != 0 { return words[0].trailingZeroBitCount &>> 3 }
        if words[1] != 0 { return 8 &+ (words[1].trailingZeroBitCount &>> 3) }
        return Self.width
    }
}
