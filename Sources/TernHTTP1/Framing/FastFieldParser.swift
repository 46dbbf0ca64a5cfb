// SPDX-License-Identifier: Apache-2.0

/// The straight way through the field lines of a head.
///
/// Takes lines that are whole, have a token, a colon and a value without control characters, end with CRLF and keep
/// within the limits: nearly all there are, and the empty line behind them. It stops before the first one that is
/// anything else, without an opinion; ``FieldLine`` then says what that line is.
struct FastFieldParser {
    /// Where the next line begins, and how many positions the table holds.
    private(set) var line: Int
    private(set) var count: Int
    /// Whether the empty line was among those read.
    private(set) var isEnd = false

    /// Reads lines from `line` on and enters them into `table` from `count` on, until there are `room`.
    ///
    /// - Parameters:
    ///   - bytes: the section, as far as it is there and within the limits of its lines and its length; positions count
    ///     from its first byte.
    ///   - room: how many positions `table` may hold, no more than it has.
    @inline(__always)
    init(_ bytes: Span<UInt8>, line: Int, into table: inout MutableSpan<FieldPosition>, count: Int, room: Int) {
        // Bytes are read unchecked here, for checks cost a quarter of the time, and this is why each of them is there.
        // `start` is not negative, for `line` is not and only grows, and a block is read where sixteen bytes follow it.
        // CRLF was found at `control`, so every position from `start` to `control + 1` is a byte's: `control - 1`,
        // because the line is not empty; `nameEnd` and the one behind it, because `nameEnd` is less than `control`; and
        // the next one, because of these two, which are ": ", neither is `control`.
        self.line = max(0, line)
        self.count = count
        while self.count < room {
            // Where the line ends is found without waiting for where its name ends, so the search for the next line
            // need not wait either: the processor reads several lines at once.
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

    /// A name of unusual letters, or other blanks around the value than the one that everybody writes.
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
