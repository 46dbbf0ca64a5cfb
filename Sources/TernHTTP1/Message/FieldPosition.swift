// SPDX-License-Identifier: Apache-2.0

/// Where one field lies in its section: four little-endian words, 32 bits each because ``SectionDecoder`` admits no
/// section of more.
struct FieldPosition: BitwiseCopyable {
    private var nameStart: UInt32
    private var nameEnd: UInt32
    private var valueStart: UInt32
    private var valueEnd: UInt32

    static let size = 16

    @inline(__always)
    init(name: Range<Int>, value: Range<Int>) {
        nameStart = UInt32(truncatingIfNeeded: name.lowerBound).littleEndian
        nameEnd = UInt32(truncatingIfNeeded: name.upperBound).littleEndian
        valueStart = UInt32(truncatingIfNeeded: value.lowerBound).littleEndian
        valueEnd = UInt32(truncatingIfNeeded: value.upperBound).littleEndian
    }

    var name: Range<Int> { Self.range(nameStart, nameEnd) }

    var value: Range<Int> { Self.range(valueStart, valueEnd) }

    private static func range(_ start: UInt32, _ end: UInt32) -> Range<Int> {
        let start = Int(UInt32(littleEndian: start))
        return start..<max(start, Int(UInt32(littleEndian: end)))
    }

    /// Reads what ``append(_:to:)`` wrote.
    init(reading buffer: [UInt8], at offset: Int) {
        nameStart = Self.word(buffer, offset)
        nameEnd = Self.word(buffer, offset &+ 4)
        valueStart = Self.word(buffer, offset &+ 8)
        valueEnd = Self.word(buffer, offset &+ 12)
    }

    private static func word(_ buffer: [UInt8], _ offset: Int) -> UInt32 {
        var word: UInt32 = 0
        for index in 0..<4 { word |= UInt32(buffer[offset &+ index]) &<< UInt32(8 &* index) }
        return word.littleEndian
    }

    /// Appends the positions in memory order. The raw bytes of a bitwise-copyable struct of four words without
    /// padding are all initialised, and used only while the array is borrowed.
    static func append(_ positions: [FieldPosition], to buffer: inout [UInt8]) {
        unsafe positions.span.bytes.withUnsafeBytes { bytes in
            unsafe buffer.append(contentsOf: bytes)
        }
    }
}
