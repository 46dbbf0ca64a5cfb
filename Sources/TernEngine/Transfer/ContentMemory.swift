// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc

/// Memory in which a body is received and stays. It is filled from the front, and what is filled does not change any more: it may
/// be handed out while the rest is being filled.
///
/// Whoever fills it sees to it that only one thread does, which is what `@unchecked Sendable` rests on.
@safe
final class ContentMemory: @unchecked Sendable {
    private var base: UnsafeMutableRawPointer?
    private(set) var capacity: Int
    private(set) var count = 0

    /// Without any room if there is no more memory.
    init(capacity: Int) {
        unsafe base = malloc(max(1, capacity))
        self.capacity = unsafe base == nil ? 0 : capacity
    }

    deinit { unsafe free(base) }

    /// What is not filled. Lent until something is appended, or the memory grows.
    var room: UnsafeMutableRawBufferPointer {
        guard let base = unsafe base, count < capacity else { return unsafe .init(start: nil, count: 0) }
        return unsafe UnsafeMutableRawBufferPointer(start: base + count, count: capacity - count)
    }

    /// Makes room for so many in all. Not once anything has been handed out: it may move.
    func grow(to capacity: Int) {
        guard capacity > self.capacity, let moved = unsafe realloc(base, capacity) else { return }
        unsafe base = moved
        self.capacity = capacity
    }

    /// Adds all of `bytes`, and grows if it must. False if there is no memory for that.
    func takeOver(_ bytes: Span<UInt8>) -> Bool {
        grow(to: count + bytes.count)
        return append(bytes) == bytes.count
    }

    /// Adds as much of `bytes` as there is room for, and says how much. What has been received in the room stays where it is.
    func append(_ bytes: Span<UInt8>) -> Int {
        let added = min(bytes.count, capacity - count)
        unsafe bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let end = unsafe room.baseAddress else { return }
            if unsafe start != UnsafeRawPointer(end) { unsafe end.copyMemory(from: start, byteCount: added) }
        }
        count += added
        return added
    }

    /// A part of what is filled, which keeps all of it.
    func data(_ range: Range<Int>) -> Data {
        guard let base = unsafe base, !range.isEmpty, range.upperBound <= count else { return Data() }
        return unsafe Data(
            bytesNoCopy: base + range.lowerBound, count: range.count,
            deallocator: .custom { _, _ in withExtendedLifetime(self) {} })
    }

    /// All that is filled; the memory goes with it.
    func takeAll() -> Data {
        guard let base = unsafe base, count > 0 else { return Data() }
        unsafe self.base = nil
        defer { (count, capacity) = (0, 0) }
        return unsafe Data(bytesNoCopy: base, count: count, deallocator: .free)
    }
}
