// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import TernIO

/// Collects the bytes of a body, within limits.
package struct BodyAccumulator: Sendable {
    /// What happened to a chunk.
    package enum Outcome: Sendable {
        case taken
        /// The chunk exceeds a limit, or there is no memory for it: the body is discarded. Returned once.
        case overflowed
        /// The chunk came after that.
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

    private enum Refusal {
        case tooLarge
        /// There was no memory.
        case outOfMemory
        /// The quota had no more.
        case quotaExceeded
    }

    package let limits: BodyLimits
    /// The received bytes, unless a receive buffer was requested.
    package private(set) var bytes = Data()
    /// Why the body was discarded.
    private var refusal: Refusal?
    /// What the body has of the quota.
    private var share: MemoryQuotaShare?
    /// The announced length of the body.
    private var announced = 0
    /// The reserved capacity.
    private(set) var room = 0
    /// The received bytes, if a receive buffer was requested. Referenced only here, though copies of this value would
    /// share it.
    private var memory: ReceiveMemory?

    package init(_ limits: BodyLimits) { self.limits = limits }

    /// - Parameter limit: the maximum length of the body in bytes; a negative value counts as zero.
    package init(limit: Int) { self.init(BodyLimits(size: limit)) }

    /// The reason why the body was discarded; nil if it was not.
    package var failure: SessionError.TransferFailure? {
        switch refusal {
        case nil: nil
        case .tooLarge: .bodyTooLarge(limit: limits.size)
        case .outOfMemory: .outOfMemory
        case .quotaExceeded: .memoryQuotaExceeded(limit: limits.quota?.limit ?? 0)
        }
    }

    /// Discards a body whose head announces more than the limits ever admit. False if it is discarded.
    package mutating func admits(_ length: Int) -> Bool {
        if length > limits.size {
            refuse(.tooLarge)
        } else if let quota = limits.quota, length > quota.limit {
            refuse(.quotaExceeded)
        }
        return refusal == nil
    }

    /// Whether it helps to know the length in advance.
    package static func reserves(_ length: Int) -> Bool { length > reservation.lowerBound }

    /// Reserves capacity for a body of the announced `length`; beyond half a megabyte, capacity grows as bytes arrive.
    package mutating func reserve(_ length: Int) {
        if !Self.reserves(length) || refusal != nil { return }
        announced = min(length, limits.size)
        makeRoom(Self.reservation.upperBound)
    }

    private mutating func makeRoom(_ count: Int) {
        room = min(announced, count)
        bytes.reserveCapacity(room)
    }

    /// Returns the buffer for the next bytes, of which `count` are expected; nil for no preference. Valid until the
    /// next call.
    mutating func room(for count: Int) -> UnsafeMutableRawBufferPointer? {
        if refusal != nil { return nil }
        let memory = memory ?? ReceiveMemory(capacity: 0)
        if self.memory == nil {
            guard memory.appendGrowing(bytes.span) else { return nil }
            bytes = Data()
            self.memory = memory
        }
        let most = min(count, limits.size - memory.count)
        if !memory.hasRoom(for: most) {
            memory.grow(to: memory.count + min(most, max(Self.addresses, Self.growth * memory.count)))
        }
        return unsafe memory.room.isEmpty ? nil : memory.room
    }

    /// Adds a chunk, if it is within the limits.
    package mutating func take(_ piece: Span<UInt8>) -> Outcome {
        if refusal != nil { return .ignored }
        let room = limits.size - (memory?.count ?? bytes.count)
        guard piece.count <= room else { return refuse(.tooLarge) }
        if let quota = limits.quota {
            let share = share ?? MemoryQuotaShare(of: quota)
            self.share = share
            guard share.take(piece.count) else { return refuse(.quotaExceeded) }
        }
        guard let memory else {
            append(piece)
            return .taken
        }
        if memory.capacity - memory.count < piece.count {
            memory.grow(to: memory.count + min(room, max(piece.count, Self.step)))
        }
        return memory.append(piece) == piece.count ? .taken : refuse(.outOfMemory)
    }

    private mutating func append(_ piece: Span<UInt8>) {
        let count = bytes.count + piece.count
        if count > room, room < announced {
            makeRoom(count > announced / Self.growth ? announced : count * Self.growth)
        }
        bytes.append(piece)
    }

    /// Adds a chunk for a reader that takes all available bytes repeatedly: a valve bounds it instead of the limits.
    package mutating func pass(_ piece: Span<UInt8>) {
        if refusal == nil { bytes.append(piece) }
    }

    @discardableResult
    private mutating func refuse(_ refusal: Refusal) -> Outcome {
        self.refusal = refusal
        discard()
        return .overflowed
    }

    /// The body is complete, and belongs to the caller from now on: it does not count for the quota any more.
    package mutating func handOver() { share = nil }

    /// Returns the available bytes.
    package mutating func takeAll() -> Data {
        defer { discard() }
        return memory?.takeAll() ?? bytes
    }

    private mutating func discard() {
        bytes = Data()
        (memory, share) = (nil, nil)
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
