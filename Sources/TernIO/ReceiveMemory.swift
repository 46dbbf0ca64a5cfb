// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC
import Synchronization

/// Memory that receives bytes and keeps them in place. It is filled from the front, and the filled part does not change
/// while a region of it is borrowed: regions may be passed on while the rest is being filled.
///
/// One thread at a time fills it, hence `@unchecked Sendable`.
@safe
package final class ReceiveMemory: @unchecked Sendable {
    private static let leastRoom = 64 * 1024

    // Unchecked: plain values, whose accesses run no other code.
    @unsafe @exclusivity(unchecked) private var base: UnsafeMutableRawPointer?
    @safe @exclusivity(unchecked) package private(set) var capacity: Int
    @safe @exclusivity(unchecked) package private(set) var count = 0
    /// The number of borrowed regions.
    private let borrowCount = Atomic<Int>(0)

    /// Has no capacity if the allocation fails.
    package init(capacity: Int) {
        unsafe base = malloc(max(1, capacity))
        self.capacity = unsafe base == nil ? 0 : capacity
    }

    deinit { unsafe free(base) }

    /// The unfilled part. Valid until bytes are appended or the memory grows.
    package var room: UnsafeMutableRawBufferPointer {
        guard let base = unsafe base, count < capacity else { return unsafe .init(start: nil, count: 0) }
        return unsafe UnsafeMutableRawBufferPointer(start: base + count, count: capacity - count)
    }

    /// Whether there is room for `count` bytes, or for enough to be worth a system call.
    package func hasRoom(for count: Int) -> Bool { capacity - self.count >= min(count, Self.leastRoom) }

    /// Grows to `capacity` bytes in all. Not while a region is borrowed: the memory may move.
    package func grow(to capacity: Int) {
        guard capacity > self.capacity, let moved = unsafe realloc(base, capacity) else { return }
        unsafe base = moved
        self.capacity = capacity
    }

    /// Appends all of `bytes`, growing if necessary. Returns false if an allocation fails.
    package func appendGrowing(_ bytes: Span<UInt8>) -> Bool {
        grow(to: count + bytes.count)
        return append(bytes) == bytes.count
    }

    /// Appends the part of `bytes` that fits, and returns its length. Bytes received directly into the room stay where
    /// they are.
    package func append(_ bytes: Span<UInt8>) -> Int {
        let added = min(bytes.count, capacity - count)
        unsafe bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let end = unsafe room.baseAddress else { return }
            if unsafe start != UnsafeRawPointer(end) { unsafe end.copyMemory(from: start, byteCount: added) }
        }
        count += added
        return added
    }

    /// Marks a region of the filled part as borrowed, until `endBorrow`.
    package func beginBorrow() { borrowCount.add(1, ordering: .relaxed) }

    /// Ends the borrow of a region. On any thread.
    package func endBorrow() { borrowCount.subtract(1, ordering: .releasing) }

    /// Whether a region is borrowed.
    package var isBorrowed: Bool { borrowCount.load(ordering: .acquiring) > 0 }

    /// Empties the memory. No region may be borrowed.
    package func empty() { count = 0 }

    /// A region of the filled part, valid as long as this object lives; nil if part of the range is not filled, or the
    /// range is empty.
    package func filled(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer? {
        guard let base = unsafe base, !range.isEmpty, range.lowerBound >= 0, range.upperBound <= count else {
            return nil
        }
        return unsafe UnsafeMutableRawBufferPointer(start: base + range.lowerBound, count: range.count)
    }

    /// Returns the whole filled part, for the caller to `free`; nil if it is empty.
    package func release() -> UnsafeMutableRawBufferPointer? {
        guard let base = unsafe base, count > 0 else { return nil }
        unsafe self.base = nil
        defer { (count, capacity) = (0, 0) }
        return unsafe UnsafeMutableRawBufferPointer(start: base, count: count)
    }
}
