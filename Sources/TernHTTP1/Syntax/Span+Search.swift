// SPDX-License-Identifier: Apache-2.0

/// Searches from `start` on, which return `count` when nothing is found. They use blocks of sixteen, the last of which
/// may overlap the previous one, and single bytes if there are fewer: none reads past the span.
extension Span<UInt8> {
    /// The first byte below 0x20.
    @inline(__always)
    func firstControl(from start: Int) -> Int {
        first(from: start, in: { $0.controls }, where: { $0 < .space })
    }

    /// The first byte that is not a `tchar`.
    func firstNonToken(from start: Int) -> Int {
        var position = start
        while true {
            position = first(from: position, in: { $0.uncommonInName }, where: { !$0.isToken })
            guard position < count, self[position].isToken else { return position }
            position &+= 1
        }
    }

    /// The first byte that is invalid in a field value: a control character other than the tab (RFC 9110 §5.5).
    func firstForbiddenInValue(from start: Int) -> Int {
        first(
            from: start, in: { $0.forbiddenInValue },
            where: { $0 < .space && $0 != .horizontalTab || $0 == .delete })
    }

    /// The first byte that is invalid in a request target: all but visible ASCII, and "#", because a fragment stays
    /// with the client (RFC 9112 §3.2, RFC 9110 §4.2.5).
    func firstForbiddenInTarget(from start: Int) -> Int {
        first(from: start, in: { $0.forbiddenInTarget }, where: { !$0.isVisible || $0 == .hash })
    }

    /// The first LF.
    func firstLineFeed(from start: Int) -> Int {
        first(from: start, in: { $0.lineFeeds }, where: { $0 == .lineFeed })
    }

    @inline(__always)
    private func first(
        from start: Int, in search: (ByteBlock) -> ByteBlock.Lanes, where matches: (UInt8) -> Bool
    ) -> Int {
        var position = Swift.max(0, start)
        while position &+ ByteBlock.width <= count {
            // Sound: `position` begins at zero or more and grows, and the condition guarantees that sixteen bytes
            // follow.
            let found = search(unsafe ByteBlock(unchecked: self, at: position)).first
            position &+= found
            if found < ByteBlock.width { return position }
        }
        if count >= ByteBlock.width, position < count {
            // Sound: the condition guarantees that there are sixteen bytes, and these are the last.
            let last = count &- ByteBlock.width
            let lanes = search(unsafe ByteBlock(unchecked: self, at: last))
            return last &+ lanes.first(from: position &- last)
        }
        while position < count, !matches(self[position]) { position &+= 1 }
        return position
    }
}

extension Span<UInt8> {
    /// Eight bytes as a little-endian word. The load checks its bounds, and every bit pattern is a valid value of the
    /// type, so `unsafe` needs no further condition.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// The same with letters in lower case. Other bytes change as well, but no byte that is valid in a field becomes a
    /// letter or "-", except the CR of a fold, which an LF follows.
    @inline(__always)
    func foldedWord(at offset: Int) -> UInt64 {
        word(at: offset) | 0x2020_2020_2020_2020
    }

    /// Whether CRLF is at `position`.
    @inline(__always)
    func startsLineEnd(at position: Int) -> Bool {
        guard position >= 0, position &+ 1 < count else { return false }
        // Sound: the condition has just been checked.
        return unsafe pair(unchecked: position) == .lineEnd
    }

    /// Two bytes, the first of which is the lower one.
    ///
    /// Unsafe, because it does not check that they exist. Every bit pattern is a valid value of the type.
    @unsafe @inline(__always)
    func pair(unchecked position: Int) -> UInt16 {
        UInt16(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt16.self))
    }
}

extension UInt16 {
    /// CRLF, as a pair of bytes.
    static var lineEnd: UInt16 { 0x0A0D }

    /// ": ", as a pair of bytes.
    static var colonAndSpace: UInt16 { 0x203A }
}
