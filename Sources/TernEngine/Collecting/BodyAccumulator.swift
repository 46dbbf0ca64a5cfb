// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import TernIO

/// The bytes of a body as they come, up to a limit.
package struct BodyAccumulator: Sendable {
    /// What has become of a piece.
    package enum Outcome: Sendable {
        case taken
        /// The piece was one too many: the body is let go of. Told once.
        case overflowed
        /// Came after one too many.
        case ignored
    }

    /// Below this, growing costs less than it saves; above, a server would have half a megabyte from us on its word
    /// alone.
    private static let reservation = 16 * 1024...512 * 1024
    /// Where a body is received into the room itself it takes memory as it comes, and before that only addresses.
    private static let addresses = 64 * 1024 * 1024
    /// Beyond that a server gets room for this multiple of what it has sent.
    private static let growth = 8

    /// In bytes.
    package let limit: Int
    /// What has come and is still here, unless room was asked for.
    package private(set) var bytes = Data()
    /// The body is more than may be collected, and gone.
    package private(set) var isTooLarge = false
    /// How long the body is said to be.
    private var announced = 0
    /// What room was made for.
    private(set) var room = 0
    /// What has come, if room for it was asked for. Ours alone, though copies of us would share it.
    private var memory: ReceiveMemory?

    /// - Parameter limit: the most to collect, in bytes; less than nothing is nothing.
    package init(limit: Int) {
        self.limit = max(0, limit)
    }

    /// Whether a body of `length` bytes may be collected.
    package func admits(_ length: Int) -> Bool { length <= limit }

    /// Whether it makes a difference to know the length before.
    package static func reserves(_ length: Int) -> Bool { length > reservation.lowerBound }

    /// Makes room for a body that is announced with `length` bytes; what is beyond half a megabyte gets its room as it
    /// comes.
    package mutating func reserve(_ length: Int) {
        if !Self.reserves(length) || isTooLarge { return }
        announced = min(length, limit)
        makeRoom(Self.reservation.upperBound)
    }

    private mutating func makeRoom(_ count: Int) {
        room = min(announced, count)
        bytes.reserveCapacity(room)
    }

    /// Where the next bytes may be received, of which `count` are to come; nil for anywhere. Lent until the next call.
    mutating func room(for count: Int) -> UnsafeMutableRawBufferPointer? {
        if isTooLarge { return nil }
        let memory = memory ?? ReceiveMemory(capacity: 0)
        if self.memory == nil {
            _ = memory.appendGrowing(bytes.span)
            bytes = Data()
            self.memory = memory
        }
        let most = min(count, limit - memory.count)
        if !memory.hasRoom(for: most) {
            memory.grow(to: memory.count + min(most, max(Self.addresses, Self.growth * memory.count)))
        }
        return unsafe memory.room.isEmpty ? nil : memory.room
    }

    private mutating func take(_ piece: Span<UInt8>, into memory: ReceiveMemory) -> Outcome {
        guard piece.count <= limit - memory.count, memory.appendGrowing(piece) else {
            refuse()
            return .overflowed
        }
        return .taken
    }

    /// Adds a piece, if it keeps within the limit.
    package mutating func take(_ piece: Span<UInt8>) -> Outcome {
        if isTooLarge { return .ignored }
        if let memory { return take(piece, into: memory) }
        guard piece.count <= limit - bytes.count else {
            refuse()
            return .overflowed
        }
        let count = bytes.count + piece.count
        if count > room, room < announced {
            makeRoom(count > announced / Self.growth ? announced : count * Self.growth)
        }
        bytes.append(piece)
        return .taken
    }

    /// Adds a piece for a reader that takes all there is, again and again: a valve bounds it, not this limit.
    package mutating func pass(_ piece: Span<UInt8>) {
        if !isTooLarge { bytes.append(piece) }
    }

    /// Lets go of the body as too large, such as one that is announced so.
    package mutating func refuse() {
        isTooLarge = true
        letGo()
    }

    /// Hands out what is there.
    package mutating func takeAll() -> Data {
        defer { letGo() }
        return memory?.takeAll() ?? bytes
    }

    private mutating func letGo() {
        bytes = Data()
        memory = nil
        (announced, room) = (0, 0)
    }
}

extension Data {
    /// The one copy a body goes through.
    mutating func append(_ piece: Span<UInt8>) {
        // The span is lent for this call; Data copies out of it.
        unsafe piece.withUnsafeBufferPointer { unsafe append($0) }
    }
}
