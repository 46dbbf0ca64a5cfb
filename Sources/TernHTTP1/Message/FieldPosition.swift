// SPDX-License-Identifier: Apache-2.0

/// Where one field lies in its section: four little-endian words, 32 bits each because ``SectionDecoder`` admits no
/// section of more.
struct FieldPosition: BitwiseCopyable {
    private var nameStart: UInt32
    private var nameEnd: UInt32
    private var valueStart: UInt32
    private var valueEnd: UInt32

    static let size = 16

    /// From the bounds of name and value.
    @inline(__always)
    init(name: (Int, Int), value: (Int, Int)) {
        nameStart = UInt32(truncatingIfNeeded: name.0).littleEndian
        nameEnd = UInt32(truncatingIfNeeded: name.1).littleEndian
        valueStart = UInt32(truncatingIfNeeded: value.0).littleEndian
        valueEnd = UInt32(truncatingIfNeeded: value.1).littleEndian
    }

    @inline(__always)
    var nameLength: UInt32 { UInt32(littleEndian: nameEnd) &- UInt32(littleEndian: nameStart) }

    var name: Range<Int> { Self.range(nameStart, nameEnd) }

    var value: Range<Int> { Self.range(valueStart, valueEnd) }

    @inline(__always)
    private static func range(_ start: UInt32, _ end: UInt32) -> Range<Int> {
        let start = Int(UInt32(littleEndian: start))
        return start..<max(start, Int(UInt32(littleEndian: end)))
    }

    /// Reads a position out of a table, which is an array of them in memory order.
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
}
