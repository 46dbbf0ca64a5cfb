// SPDX-License-Identifier: Apache-2.0

/// Ciphertext that waits to be sent. It owns no memory while it is empty, so an idle connection needs none.
///
/// Safety: `storage` is owned, `0 <= start <= end <= storage.count`, and it is lent only during `drain`.
@safe struct OutgoingBuffer: ~Copyable {
    private var storage = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var start = 0
    private var end = 0

    var count: Int { end - start }

    deinit { unsafe storage.deallocate() }

    @unsafe mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard unsafe !bytes.isEmpty else { return }
        reserve(bytes.count)
        unsafe UnsafeMutableRawBufferPointer(rebasing: storage[end...]).copyMemory(from: bytes)
        end += bytes.count
    }

    /// Reserves storage for `count` further bytes.
    mutating func reserve(_ count: Int) {
        if unsafe storage.count - end < count { makeRoom(for: count) }
    }

    /// Passes the waiting bytes to `send`, which returns how many it took.
    mutating func drain(_ send: (UnsafeRawBufferPointer) -> Int) {
        guard count > 0 else { return }
        let taken = unsafe send(UnsafeRawBufferPointer(rebasing: storage[start..<end]))
        start += min(max(0, taken), count)
        if start == end { release() }
    }

    /// Discards the waiting bytes.
    mutating func discard() {
        if count > 0 { release() }
    }

    private mutating func release() {
        unsafe storage.deallocate()
        unsafe storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        (start, end) = (0, 0)
    }

    /// Doubles the capacity, so that appending stays linear, and drops the sent bytes.
    private mutating func makeRoom(for more: Int) {
        let waiting = count
        let grown = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(waiting + more, 2 * waiting, 512), alignment: 16)
        unsafe grown.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[start..<end]))
        unsafe storage.deallocate()
        unsafe storage = grown
        (start, end) = (0, waiting)
    }
}
