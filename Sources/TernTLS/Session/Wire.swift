// SPDX-License-Identifier: Apache-2.0
// The custom BIO: OpenSSL reads from the caller's receive buffer and writes to memory, and never uses a socket. That
// avoids SIGPIPE, blocking and moving buffers, and makes a handshake a function.
import CTernOpenSSL

/// Both ends of one session's BIO.
///
/// Safety: `window` is set for the duration of one call into OpenSSL and empty between calls, so the borrowed bytes
/// cannot outlive the borrow.
@safe struct Wire: ~Copyable {
    /// The ciphertext that OpenSSL has not read yet.
    private var window = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    private var records = RecordCounter()
    /// The maximum number of records begun in this call.
    private var recordLimit = Int.max
    /// Whether OpenSSL requested more than the window had, or the limit allowed.
    private(set) var needsInput = false
    var outgoing = OutgoingBuffer()

    var unread: Int { unsafe window.count }

    /// The number of records that OpenSSL has read completely in this call.
    var recordCount: Int { records.count }

    @unsafe mutating func lend(_ ciphertext: UnsafeRawBufferPointer, records limit: Int = .max) {
        unsafe window = ciphertext
        records.startOver()
        recordLimit = limit
        needsInput = false
    }

    mutating func withdraw() { unsafe window = UnsafeRawBufferPointer(start: nil, count: 0) }

    /// Moves up to `count` bytes out of the window.
    @unsafe fileprivate mutating func read(into target: UnsafeMutableRawPointer, count: Int) -> Int {
        let taken = unsafe min(count, window.count)
        guard taken > 0, records.count < recordLimit, let source = unsafe window.baseAddress else {
            needsInput = true
            return 0
        }
        unsafe records.take(UnsafeBufferPointer(start: source.assumingMemoryBound(to: UInt8.self), count: taken).span)
        unsafe target.copyMemory(from: source, byteCount: taken)
        unsafe window = UnsafeRawBufferPointer(rebasing: window[taken...])
        return taken
    }
}

extension Wire {
    /// A BIO over `wire`, which must outlive it; nil if out of memory.
    @unsafe static func makeBIO(_ wire: UnsafeMutablePointer<Wire>) -> OpaquePointer? {
        guard let method = unsafe method.pointer, let bio = unsafe BIO_new(method) else { return nil }
        unsafe BIO_set_data(bio, wire)
        unsafe BIO_set_init(bio, 1)
        return unsafe bio
    }

    /// Safety: created once, by Swift's lazy initialisation, and only read afterwards.
    @safe private struct Method: @unchecked Sendable {
        let pointer: OpaquePointer?

        init() {
            unsafe pointer = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "tern wire")
            guard let pointer = unsafe pointer else { return }
            unsafe BIO_meth_set_read_ex(pointer) { bio, target, count, taken in
                unsafe Wire.read(bio, target, count, taken)
            }
            unsafe BIO_meth_set_write_ex(pointer) { bio, source, count, written in
                unsafe Wire.write(bio, source, count, written)
            }
            // Flushing succeeds because nothing is ever held back; every other control returns 0.
            unsafe BIO_meth_set_ctrl(pointer) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        }
    }

    private static let method = Method()

    private static func read(
        _ bio: OpaquePointer?, _ target: UnsafeMutablePointer<CChar>?, _ count: Int, _ taken: UnsafeMutablePointer<Int>?
    ) -> Int32 {
        unsafe BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
        guard let wire = unsafe BIO_get_data(bio)?.assumingMemoryBound(to: Wire.self), let target = unsafe target else {
            return 0
        }
        let moved = unsafe wire.pointee.read(into: target, count: count)
        unsafe taken?.pointee = moved
        if moved == 0 { unsafe BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY) }
        return moved > 0 ? 1 : 0
    }

    private static func write(
        _ bio: OpaquePointer?, _ source: UnsafePointer<CChar>?, _ count: Int, _ written: UnsafeMutablePointer<Int>?
    ) -> Int32 {
        unsafe BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
        guard let wire = unsafe BIO_get_data(bio)?.assumingMemoryBound(to: Wire.self) else { return 0 }
        unsafe wire.pointee.outgoing.append(UnsafeRawBufferPointer(start: source, count: count))
        unsafe written?.pointee = count
        return 1
    }
}

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

/// Counts the TLS records in a stream of ciphertext (RFC 8446 §5.1): a header of five bytes, the last two of which give
/// the length of the content.
struct RecordCounter {
    /// The number of complete records so far.
    private(set) var count = 0
    /// The number of header bytes of the current record read so far; five within its content.
    private var headerCount = 0
    /// The number of bytes of the current record still to come, as known from its header.
    private var remaining = 0

    /// Starts to count at zero, also in the middle of a record.
    mutating func startOver() { count = 0 }

    /// Counts `bytes`, which follow the previous ones. OpenSSL reads a header, then the content: one step each.
    mutating func take(_ bytes: Span<UInt8>) {
        var offset = 0
        while offset < bytes.count {
            if headerCount < 5 {
                if headerCount == 3 { remaining = Int(bytes[offset]) << 8 }
                if headerCount == 4 { remaining |= Int(bytes[offset]) }
                headerCount += 1
                offset += 1
            } else {
                let passed = min(remaining, bytes.count - offset)
                remaining -= passed
                offset += passed
            }
            if headerCount == 5, remaining == 0 {
                count += 1
                headerCount = 0
            }
        }
    }
}
