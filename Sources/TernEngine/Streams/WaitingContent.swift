// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO

/// Content that waits for its reader: in order, and in its receive buffer if there was room for it.
struct WaitingContent {
    /// Delivered region by region as it fills: a reader that retains a region retains all of it.
    private static let memorySize = 256 * 1024

    /// The first bytes.
    private var pieces: [Data] = []
    /// The bytes after them begin at `start`.
    private var memory: ReceiveMemory?
    private var start = 0
    /// The memory filled before `memory`, to be filled again once no reader references it: it is then in the
    /// processor's cache.
    private var former: ReceiveMemory?
    /// The last bytes, received elsewhere.
    private var rest = Data()
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Returns the buffer for the next bytes, of which `count` are expected; nil for no preference.
    mutating func room(for count: Int) -> UnsafeMutableRawBufferPointer? {
        if let memory, rest.isEmpty {
            if start == memory.count, !memory.isBorrowed { startOver(in: memory) }
            if memory.hasRoom(for: count) { return unsafe memory.room }
        }
        closeRanks()
        let memory = spare() ?? ReceiveMemory(capacity: min(count, Self.memorySize))
        startOver(in: memory)
        return unsafe memory.room.isEmpty ? nil : memory.room
    }

    private mutating func startOver(in memory: ReceiveMemory) {
        memory.empty()
        (self.memory, start) = (memory, 0)
    }

    private mutating func spare() -> ReceiveMemory? {
        guard let former, !former.isBorrowed else { return nil }
        return self.former.take()
    }

    mutating func append(_ bytes: Span<UInt8>) {
        count += bytes.count
        var taken = 0
        if let memory, rest.isEmpty { taken = memory.append(bytes) }
        if taken < bytes.count { rest.append(bytes.extracting(droppingFirst: taken)) }
    }

    /// A chunk, never empty.
    mutating func popFirst() -> Data? {
        if isEmpty { return nil }
        let piece = pieces.isEmpty ? takeFilled() ?? takeRest() : pieces.removeFirst()
        count -= piece.count
        return piece
    }

    private mutating func closeRanks() {
        if let filled = takeFilled() { pieces.append(filled) }
        if !rest.isEmpty { pieces.append(takeRest()) }
        if memory != nil, former?.isBorrowed != false { former = memory.take() }
        memory = nil
    }

    private mutating func takeFilled() -> Data? {
        guard let memory, start < memory.count else { return nil }
        defer { start = memory.count }
        return memory.data(start..<memory.count)
    }

    private mutating func takeRest() -> Data {
        defer { rest = Data() }
        return rest
    }
}
