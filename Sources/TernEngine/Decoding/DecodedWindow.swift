// SPDX-License-Identifier: Apache-2.0

/// The output of a coding, until it is taken.
///
/// Safety: `storage` is owned, `0 <= start <= end <= size`, and the bytes between `start` and `end` are initialised. It
/// is lent as spans only, which end before the call does.
@safe package struct DecodedWindow: ~Copyable {
    package static let size = 64 * 1024

    /// Not zeroed: a small body touches only the part that it fills.
    private let storage = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.size)
    private var start = 0
    private var end = 0

    package init() {}

    package var count: Int { end - start }
    package var room: Int { Self.size - end }

    deinit { unsafe storage.deallocate() }

    /// Lends the free room to `fill`, at most `most` bytes of it.
    package mutating func append<Result>(_ most: Int, _ fill: (inout OutputSpan<UInt8>) -> Result) -> Result {
        let free = unsafe UnsafeMutableBufferPointer(rebasing: storage[end..<end + max(0, min(most, room))])
        var output = unsafe OutputSpan(buffer: free, initializedCount: 0)
        let result = fill(&output)
        end += unsafe output.finalize(for: free)
        return result
    }

    /// Lends the content to `take`, which returns how much it took. Once it is empty, all the room is free again.
    package mutating func lend(_ take: (Span<UInt8>) -> Int) {
        let taken = unsafe take(UnsafeBufferPointer(rebasing: storage[start..<end]).span)
        start += min(max(0, taken), count)
        if start == end { clear() }
    }

    package mutating func clear() { (start, end) = (0, 0) }

    package mutating func dropLast() { end = max(start, end - 1) }
}
