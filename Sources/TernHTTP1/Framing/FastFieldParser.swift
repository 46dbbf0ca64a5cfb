// SPDX-License-Identifier: Apache-2.0

/// The fast path through the field lines of a head.
///
/// Reads lines that are complete, have a token, a colon and a value without control characters, end with CRLF and are
/// within the limits, and the empty line after them. It stops before the first other line; ``FieldLine`` reads that
/// one.
struct FastFieldParser {
    /// Where the next line begins, and how many positions the table holds.
    private(set) var line: Int
    private(set) var count: Int
    /// Whether the empty line has been read.
    private(set) var isEnd = false

    /// Reads lines from `line` on and enters them into `table` from `count` on, up to `room` positions.
    ///
    /// - Parameters:
    ///   - bytes: the available part of the section, within the limits of its lines and its length; positions count
    ///     from its first byte.
    ///   - room: the maximum number of positions in `table`, at most its capacity.
    @inline(__always)
    init(_ bytes: Span<UInt8>, line: Int, into table: inout MutableSpan<FieldPosition>, count: Int, room: Int) {
        // Bytes are read unchecked here, because checks cost a quarter of the time. Each access is in bounds: `start`
        // is not negative, because `line` is not and only grows, and a block is read only where sixteen bytes follow
        // it. CRLF was found at `control`, so every position from `start` to `control + 1` is in bounds: `control - 1`,
        // because the line is not empty; `nameEnd` and the position after it, because `nameEnd` is less than `control`;
        // and the one after that, because these two are ": " and therefore not at `control`.
        self.line = max(0, line)
        self.count = count
        while self.count < room {
            // The search for the line's end does not depend on the search for the name's end, so the processor overlaps
            // the reading of several lines.
            let start = self.line
            var control = start
            var nameEnd = start
            if start &+ ByteBlock.width <= bytes.count {
                let block = unsafe ByteBlock(unchecked: bytes, at: start)
                let found = block.controls.first
                control &+= found
                if found == ByteBlock.width { control = bytes.firstControl(from: control) }
                nameEnd &+= block.uncommonInName.first
            } else {
                control = bytes.firstControl(from: start)
            }
            guard control &+ 1 < bytes.count, unsafe bytes.pair(unchecked: control) == .lineEnd else { return }
            if control == start {
                self.line = control &+ 2
                isEnd = true
                return
            }
            if nameEnd > start, nameEnd < control, unsafe bytes.pair(unchecked: nameEnd) == .colonAndSpace,
                unsafe bytes[unchecked: nameEnd &+ 2] > .space, unsafe bytes[unchecked: control &- 1] > .space
            {
                table[self.count] = FieldPosition(name: (start, nameEnd), value: (nameEnd &+ 2, control))
            } else if let position = Self.position(bytes, start, control) {
                table[self.count] = position
            } else {
                return
            }
            self.count &+= 1
            self.line = control &+ 2
        }
    }

    /// A name with unusual characters, or whitespace around the value other than one space.
    private static func position(
        _ bytes: Span<UInt8>, _ start: Int, _ control: Int
    ) -> FieldPosition? {
        let nameEnd = bytes.firstNonToken(from: start)
        guard nameEnd > start, nameEnd < control, bytes[nameEnd] == .colon else { return nil }
        var first = nameEnd &+ 1
        var last = control
        while first < last, bytes[first].isBlank { first &+= 1 }
        while last > first, bytes[last &- 1].isBlank { last &-= 1 }
        return FieldPosition(name: (start, nameEnd), value: (first, last))
    }
}
