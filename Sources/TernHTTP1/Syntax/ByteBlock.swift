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
    /// Unsafe, because it does not check that they exist: its callers are searches that have just checked, and checking
    /// again costs a tenth of the time of reading a head.
    @unsafe @inline(__always)
    init(unchecked bytes: Span<UInt8>, at offset: Int) {
        words = unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: SIMD2<UInt64>.self)
    }

    /// Those below 0x20.
    @inline(__always)
    var controls: Lanes {
        lanes(bytes .< SIMD16(repeating: .space))
    }

    /// The bytes that are neither letter, digit nor "-": a superset of those that end a field name.
    @inline(__always)
    var uncommonInName: Lanes {
        let folded = unsafe unsafeBitCast(words | SIMD2(repeating: 0x2020_2020_2020_2020), to: SIMD16<UInt8>.self)
        let letters = lanes((folded &- SIMD16(repeating: 0x61)) .< SIMD16(repeating: 26))
        let digits = lanes((bytes &- SIMD16(repeating: .zero)) .< SIMD16(repeating: 10))
        let hyphens = lanes(bytes .== SIMD16(repeating: 0x2D))
        return Lanes(words: ~(letters.words | digits.words | hyphens.words))
    }

    /// The bytes that are invalid in a field value.
    @inline(__always)
    var forbiddenInValue: Lanes {
        let tabs = lanes(bytes .== SIMD16(repeating: .horizontalTab))
        let deletes = lanes(bytes .== SIMD16(repeating: .delete))
        return Lanes(words: (controls.words & ~tabs.words) | deletes.words)
    }

    /// The bytes that are invalid in a request target.
    @inline(__always)
    var forbiddenInTarget: Lanes {
        let visible = lanes((bytes &- SIMD16(repeating: 0x21)) .< SIMD16(repeating: 0x5E))
        let hashes = lanes(bytes .== SIMD16(repeating: .hash))
        return Lanes(words: ~visible.words | hashes.words)
    }

    @inline(__always)
    var lineFeeds: Lanes {
        lanes(bytes .== SIMD16(repeating: .lineFeed))
    }

    @inline(__always)
    private var bytes: SIMD16<UInt8> {
        unsafe unsafeBitCast(words, to: SIMD16<UInt8>.self)
    }

    @inline(__always)
    private func lanes(_ mask: SIMDMask<SIMD16<Int8>>) -> Lanes {
        Lanes(words: unsafe unsafeBitCast(mask, to: SIMD2<UInt64>.self))
    }

    /// A set of a block's bytes, as two words: ones for a byte in the set, zeros for one that is not.
    struct Lanes {
        fileprivate var words: SIMD2<UInt64>

        /// The first of them, or 16.
        @inline(__always)
        var first: Int {
            if words[0] != 0 { return words[0].trailingZeroBitCount &>> 3 }
            if words[1] != 0 { return 8 &+ (words[1].trailingZeroBitCount &>> 3) }
            return ByteBlock.width
        }

        /// The first of them at or behind `start`, or 16.
        @inline(__always)
        func first(from start: Int) -> Int {
            // Shifting by more than a word's width gives zero, and by less than nothing shifts the other way.
            let low = words[0] & (UInt64.max << (8 &* start))
            let high = words[1] & (UInt64.max << max(0, 8 &* (start &- 8)))
            return Lanes(words: SIMD2(low, high)).first
        }
    }
}
