// SPDX-License-Identifier: Apache-2.0

/// The straight way through the field lines of a head.
///
/// Takes lines that are whole, have a token, a colon and a value without control characters, end with CRLF and keep
/// within the limits: nearly all there are, and the empty line behind them. It stops before the first one that is
/// anything else, without an opinion; ``FieldLine`` then says what that line is.
enum UsualFields {
    /// Reads lines from `line` on, moving it past them, and enters them into `table` from `count` on; `true` when the
    /// empty line was among them.
    ///
    /// - Parameters:
    ///   - section: where the section begins; positions count from there.
    ///   - end: where its last line must have ended.
    ///   - room: how many positions `table` may hold.
    static func read(
        _ bytes: Span<UInt8>, section: Int, line: inout Int, end: Int, lineBytes: Int,
        into table: inout MutableSpan<FieldPosition>, count: inout Int, room: Int
    ) -> Bool {
        while count < room {
            // Where the line ends is found without waiting for where its name ends, so the search for the next line
            // need not wait either: the processor reads several lines at once.
            let control = bytes.firstControl(from: line)
            let next = control &+ 2
            guard bytes.startsLineEnd(at: control), control &- line <= lineBytes, next <= end else { return false }
            if control == line {
                line = next
                return true
            }
            var nameEnd = bytes.firstUncommonInName(from: line)
            if bytes[nameEnd] != .colon {
                nameEnd = bytes.firstNonToken(from: nameEnd)
                guard nameEnd < control, bytes[nameEnd] == .colon else { return false }
            }
            guard nameEnd > line else { return false }
            var first = nameEnd &+ 1
            if bytes[first] == .space { first &+= 1 }
            var last = control
            if bytes[first] <= .space || bytes[last &- 1] <= .space { trim(bytes, &first, &last) }
            table[count] = FieldPosition(
                name: (line &- section, nameEnd &- section), value: (first &- section, last &- section))
            count &+= 1
            line = next
        }
        return false
    }

    /// Blanks beyond the one that everybody writes, or a value of none but blanks.
    private static func trim(_ bytes: Span<UInt8>, _ first: inout Int, _ last: inout Int) {
        while first < last, bytes[first].isBlank { first &+= 1 }
        while last > first, bytes[last &- 1].isBlank { last &-= 1 }
    }
}
