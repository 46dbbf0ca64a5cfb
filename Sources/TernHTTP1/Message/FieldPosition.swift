// SPDX-License-Identifier: Apache-2.0

/// The position of one field in its section: four words of 32 bits, because ``SectionDecoder`` admits no longer
/// section.
struct FieldPosition: BitwiseCopyable {
    private var nameStart: UInt32
    private var nameEnd: UInt32
    private var valueStart: UInt32
    private var valueEnd: UInt32

    static let size = 16

    /// Creates a position from the bounds of name and value.
    @inline(__always)
    init(name: (Int, Int), value: (Int, Int)) {
        nameStart = UInt32(truncatingIfNeeded: name.0)
        nameEnd = UInt32(truncatingIfNeeded: name.1)
        valueStart = UInt32(truncatingIfNeeded: value.0)
        valueEnd = UInt32(truncatingIfNeeded: value.1)
    }

    @inline(__always)
    var nameLength: UInt32 { nameEnd &- nameStart }

    var name: Range<Int> { Self.range(nameStart, nameEnd) }

    var value: Range<Int> { Self.range(valueStart, valueEnd) }

    @inline(__always)
    private static func range(_ start: UInt32, _ end: UInt32) -> Range<Int> {
        let start = Int(start)
        return start..<max(start, Int(end))
    }
}
