// SPDX-License-Identifier: Apache-2.0

/// Searches that answer `count` when nothing is found. Blocks of sixteen while so many are left, then single bytes:
/// no search ever reads past the span.
extension Span<UInt8> {
    /// The first byte below 0x20 at or behind `start`.
    @inline(__always)
    func firstControl(from start: Int) -> Int {
        var position = start
        while position &+ ByteBlock.width <= count {
            let found = ByteBlock(self, at: position).firstControl
            position &+= found
            if found < ByteBlock.width { return position }
        }
        while position < count, self[position] >= .space { position &+= 1 }
        return position
    }

    /// The first byte at or behind `start` that is no `tchar`.
    @inline(__always)
    func firstNonToken(from start: Int) -> Int {
        var position = start
        while position &+ ByteBlock.width <= count {
            let found = ByteBlock(self, at: position).firstUncommonInName
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
        var position = start
        while position &+ ByteBlock.width <= count {
            let found = ByteBlock(self, at: position).firstLineFeed
            position &+= found
            if found < ByteBlock.width { return position }
        }
        while position < count, self[position] != .lineFeed { position &+= 1 }
        return position
    }
}
