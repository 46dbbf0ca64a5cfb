// SPDX-License-Identifier: Apache-2.0

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
