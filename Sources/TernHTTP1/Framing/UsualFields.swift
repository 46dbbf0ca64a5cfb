// SPDX-License-Identifier: Apache-2.0

/// The straight way through the field lines of a head.
///
/// Takes lines that are whole, have a token, a colon and a value without control characters, end with CRLF and keep
/// within the limits: nearly all there are, and the empty line behind them. It stops before the first one that is
/// anything else, without an opinion; ``FieldLine`` then says what that line is.
struct UsualFields {
    /// Where the next line begins, and how many positions the table holds.
    private(set) var line: Int
    private(set) var count: Int
    /// Whether the empty line was among those read.
    private(set) var isEnd = false

    /// Reads lines from `line` on and enters them into `table` from `count` on.
    ///
    /// - Parameters:
    ///   - section: where the section begins; positions count from there.
    ///   - end: where its last line must have ended.
    ///   - room: how many positions `table` may hold.
    init(
        _ bytes: Span<UInt8>, section: Int, line: Int, end: Int, lineBytes: Int,
        into table: inout MutableSpan<FieldPosition>, count: Int, room: Int
    ) {
        self.line = line
        self.count = count
        while self.count < room {
            // Where the line ends is found without waiting for where its name ends, so the search for the next line
            // need not wait either: the processor reads several lines at once.
            let start = self.line
            let control = bytes.firstControl(from: start)
            let next = control &+ 2
            guard bytes.startsLineEnd(at: control), control &- start <= lineBytes, next <= end else { return }
            if control == start {
                self.line = next
                isEnd = true
                return
            }
            var nameEnd = bytes.firstUncommonInName(from: start)
            if bytes[nameEnd] != .colon {
                nameEnd = bytes.firstNonToken(from: nameEnd)
                guard nameEnd < control, bytes[nameEnd] == .colon else { return }
            }
            guard nameEnd > start else { return }
            var first = nameEnd &+ 1
            if bytes[first] == .space { first &+= 1 }
            var last = control
            if bytes[first] <= .space || bytes[last &- 1] <= .space { Self.trim(bytes, &first, &last) }
            table[self.count] = FieldPosition(
                name: (start &- section, nameEnd &- section), value: (first &- section, last &- section))
            self.count &+= 1
            self.line = next
        }
    }

    /// Blanks beyond the one that everybody writes, or a value of none but blanks.
    private static func trim(_ bytes: Span<UInt8>, _ first: inout Int, _ last: inout Int) {
        while first < last, bytes[first].isBlank { first &+= 1 }
        while last > first, bytes[last &- 1].isBlank { last &-= 1 }
    }
}
