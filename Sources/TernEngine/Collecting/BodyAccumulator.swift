// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import TernIO

/// Collects the bytes of a body, up to a limit.
package struct BodyAccumulator: Sendable {
    /// What happened to a chunk.
    package enum Outcome: Sendable {
        case taken
        /// The chunk exceeds the limit, or there is no memory for it: the body is discarded. Returned once.
        case overflowed
        /// The chunk came after the limit was exceeded.
        case ignored
    }

    /// Below this size, growing costs less than it saves; above it, a server could make the client reserve half a
    /// megabyte by its announcement alone.
    private static let reservation = 16 * 1024...512 * 1024
    /// A body that is received in place takes memory only as it arrives, and before that only address space.
    private static let addresses = 64 * 1024 * 1024
    /// The amount of memory taken at once where address space is scarce. When the last step fails, the rest of the
    /// process has memory left.
    private static let step = 1024 * 1024
    /// Beyond that, the reserved capacity is this multiple of the received bytes.
    private static let growth = 8

    /// In bytes.
    package let limit: Int
    /// The received bytes, unless a receive buffer was requested.
    package private(set) var bytes = Data()
    /// The body exceeded the limit, or there was no memory for it, and was discarded.
    package private(set) var isTooLarge = false
    /// There was no memory for the body.
    private var isOutOfMemory = false
    /// The announced length of the body.
    private var announced = 0
    /// The reserved capacity.
    private(set) var room = 0
    /// The received bytes, if a receive buffer was requested. Referenced only here, though copies of this value would
    /// share it.
    private var memory: ReceiveMemory?

    /// - Parameter limit: the maximum length of the body in bytes; a negative value counts as zero.
    package init(limit: Int) {
        self.limit = max(0, limit)
    }

    /// The reason why the body was discarded; nil if it was not.
    package var failure: SessionError.TransferFailure? {
        isOutOfMemory ? .outOfMemory : isTooLarge ? .bodyTooLarge(limit: limit) : nil
    }

    /// Whether a body of `length` bytes is within the limit.
    package func admits(_ length: Int) -> Bool { length <= limit }

    /// Whether it helps to know the length in advance.
    package static func reserves(_ length: Int) -> Bool { length > reservation.lowerBound }

    /// Reserves capacity for a body of the announced `length`; beyond half a megabyte, capacity grows as bytes arrive.
    package mutating func reserve(_ length: Int) {
        if !Self.reserves(length) || isTooLarge { return }
        announced = min(length, limit)
        makeRoom(Self.reservation.upperBound)
    }

    private mutating func makeRoom(_ count: Int) {
        room = min(announced, count)
        bytes.reserveCapacity(room)
    }

    /// Returns the buffer for the next bytes, of which `count` are expected; nil for no preference. Valid until the
    /// next call.
    mutating func room(for count: Int) -> UnsafeMutableRawBufferPointer? {
        if isTooLarge { return nil }
        let memory = memory ?? ReceiveMemory(capacity: 0)
        if self.memory == nil {
            guard memory.appendGrowing(bytes.span) else { return nil }
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
        let room = limit - memory.count
        if piece.count <= room {
            if memory.capacity - memory.count < piece.count {
                memory.grow(to: memory.count + min(room, max(piece.count, Self.step)))
            }
            if memory.append(piece) == piece.count { return .taken }
            isOutOfMemory = true
        }
        refuse()
        return .overflowed
    }

    /// Adds a chunk, if it is within the limit.
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

    /// Adds a chunk for a reader that takes all available bytes repeatedly: a valve bounds it instead of the limit.
    package mutating func pass(_ piece: Span<UInt8>) {
        if !isTooLarge { bytes.append(piece) }
    }

    /// Discards the body as too large, for example because of its announced length.
    package mutating func refuse() {
        isTooLarge = true
        discard()
    }

    /// Returns the available bytes.
    package mutating func takeAll() -> Data {
        defer { discard() }
        return memory?.takeAll() ?? bytes
    }

    private mutating func discard() {
        bytes = Data()
        memory = nil
        (announced, room) = (0, 0)
    }
}

extension Data {
    /// The only copy of a body.
    mutating func append(_ piece: Span<UInt8>) {
        // The span is valid for this call; Data copies it.
        unsafe piece.withUnsafeBufferPointer { unsafe append($0) }
    }
}
