// SPDX-License-Identifier: Apache-2.0

/// Searches that answer `count` when nothing is found. Blocks of sixteen while so many are left, then single bytes:
/// no search ever reads past the span.
///
/// Each `unsafe` stands behind the condition that makes it sound: `position` is not negative, because it begins with
/// `start` and grows, and sixteen bytes follow it.
extension Span<UInt8> {
    /// The first byte below 0x20 at or behind `start`.
    @inline(__always)
    func firstControl(from start: Int) -> Int {
        var position = Swift.max(0, start)
        while position &+ ByteBlock.width <= count {
            let found = unsafe ByteBlock(unchecked: self, at: position).firstControl
            position &+= found
            if found < ByteBlock.width { return position }
        }
        while position < count, self[position] >= .space { position &+= 1 }
        return position
    }

    /// The first byte at or behind `start` that is neither letter, digit nor "-", if it is among the next sixteen
    /// bytes and so many are left: it ends nearly every field name. Else some position before it.
    @inline(__always)
    func firstUncommonInName(from start: Int) -> Int {
        guard start >= 0, start &+ ByteBlock.width <= count else { return start }
        return start &+ (unsafe ByteBlock(unchecked: self, at: start).firstUncommonInName)
    }

    /// The first byte at or behind `start` that is no `tchar`.
    func firstNonToken(from start: Int) -> Int {
        var position = Swift.max(0, start)
        while position &+ ByteBlock.width <= count {
            let found = unsafe ByteBlock(unchecked: self, at: position).firstUncommonInName
            position &+= found
            if found < ByteBlock.width {
                guard self[position].isToken else { return position }
                position &+= 1
            }
        }
        while position < count, self[position].isToken { position &+= 1 }
        return position
    }

    /// The first LF at or behind `start`.
    func firstLineFeed(from start: Int) -> Int {
        var position = Swift.max(0, start)
        while position &+ ByteBlock.width <= count {
            let found = unsafe ByteBlock(unchecked: self, at: position).firstLineFeed
            position &+= found
            if found < ByteBlock.width { return position }
        }
        while position < count, self[position] != .lineFeed { position &+= 1 }
        return position
    }
}
