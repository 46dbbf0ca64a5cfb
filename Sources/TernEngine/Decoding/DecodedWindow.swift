// SPDX-License-Identifier: Apache-2.0

/// What a coding has made, until it is taken.
///
/// Safety: `storage` is owned, `0 <= start <= end <= size`, and what lies between `start` and `end` is initialised. It
/// is lent as spans only, which end before the call does.
@safe struct DecodedWindow: ~Copyable {
    static let size = 64 * 1024

    /// Not zeroed: a small body touches no more of it than it fills.
    private let storage = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.size)
    private var start = 0
    private var end = 0

    var count: Int { end - start }
    var room: Int { Self.size - end }

    deinit { unsafe storage.deallocate() }

    /// Lends `fill` what room there is, and `most` of it at most.
    mutating func append<Result>(_ most: Int, _ fill: (inout OutputSpan<UInt8>) -> Result) -> Result {
        let free = unsafe UnsafeMutableBufferPointer(rebasing: storage[end..<end + max(0, min(most, room))])
        var output = unsafe OutputSpan(buffer: free, initializedCount: 0)
        let result = fill(&output)
        end += unsafe output.finalize(for: free)
        return result
    }

    /// Lends `take` what there is, which answers how much of it it took. With nothing left, all the room is back.
    mutating func lend(_ take: (Span<UInt8>) -> Int) {
        let taken = unsafe take(UnsafeBufferPointer(rebasing: storage[start..<end]).span)
        start += min(max(0, taken), count)
        if start == end { clear() }
    }

    mutating func clear() { (start, end) = (0, 0) }

    mutating func dropLast() { end = max(start, end - 1) }
}
