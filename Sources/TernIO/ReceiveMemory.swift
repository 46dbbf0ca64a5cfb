// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc
import Synchronization

/// Memory in which bytes are received and stay. It is filled from the front, and what is filled does not change as long
/// as a part of it is lent: parts may be handed out while the rest is being filled.
///
/// The caller fills it from one thread at a time, which is what `@unchecked Sendable` rests on.
@safe
package final class ReceiveMemory: @unchecked Sendable {
    private static let leastRoom = 64 * 1024

    // Unchecked: plain values, whose accesses call no code.
    @unsafe @exclusivity(unchecked) private var base: UnsafeMutableRawPointer?
    @safe @exclusivity(unchecked) package private(set) var capacity: Int
    @safe @exclusivity(unchecked) package private(set) var count = 0
    /// How many parts are handed out.
    private let borrowCount = Atomic<Int>(0)

    /// Without any room if there is no more memory.
    package init(capacity: Int) {
        unsafe base = malloc(max(1, capacity))
        self.capacity = unsafe base == nil ? 0 : capacity
    }

    deinit { unsafe free(base) }

    /// What is not filled. Lent until something is appended, or the memory grows.
    package var room: UnsafeMutableRawBufferPointer {
        guard let base = unsafe base, count < capacity else { return unsafe .init(start: nil, count: 0) }
        return unsafe UnsafeMutableRawBufferPointer(start: base + count, count: capacity - count)
    }

    /// Whether there is room for `count`, or for as many as are worth a system call.
    package func hasRoom(for count: Int) -> Bool { capacity - self.count >= min(count, Self.leastRoom) }

    /// Makes room for `capacity` bytes in all. Not once a part has been handed out: the memory may move.
    package func grow(to capacity: Int) {
        guard capacity > self.capacity, let moved = unsafe realloc(base, capacity) else { return }
        unsafe base = moved
        self.capacity = capacity
    }

    /// Adds all of `bytes`, and grows if it must. False if there is no memory for that.
    package func appendGrowing(_ bytes: Span<UInt8>) -> Bool {
        grow(to: count + bytes.count)
        return append(bytes) == bytes.count
    }

    /// Adds as much of `bytes` as there is room for, and says how much. What has been received in the room stays where
    /// it is.
    package func append(_ bytes: Span<UInt8>) -> Int {
        let added = min(bytes.count, capacity - count)
        unsafe bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let end = unsafe room.baseAddress else { return }
            if unsafe start != UnsafeRawPointer(end) { unsafe end.copyMemory(from: start, byteCount: added) }
        }
        count += added
        return added
    }

    /// A part of what is filled is handed out, until `endBorrow`.
    package func beginBorrow() { borrowCount.add(1, ordering: .relaxed) }

    /// Any thread: the holder of a part does not look at it any more.
    package func endBorrow() { borrowCount.subtract(1, ordering: .releasing) }

    /// Whether anybody has a part of it.
    package var isBorrowed: Bool { borrowCount.load(ordering: .acquiring) > 0 }

    /// Forgets what it is filled with. No part of it may be lent.
    package func empty() { count = 0 }

    /// A part of what is filled, as long as this lives; nil where not all of it is, or nothing was asked for.
    package func filled(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer? {
        guard let base = unsafe base, !range.isEmpty, range.lowerBound >= 0, range.upperBound <= count else {
            return nil
        }
        return unsafe UnsafeMutableRawBufferPointer(start: base + range.lowerBound, count: range.count)
    }

    /// Returns all that is filled, for the caller to `free`; nil if nothing is.
    package func release() -> UnsafeMutableRawBufferPointer? {
        guard let base = unsafe base, count > 0 else { return nil }
        unsafe self.base = nil
        defer { (count, capacity) = (0, 0) }
        return unsafe UnsafeMutableRawBufferPointer(start: base, count: count)
    }
}
