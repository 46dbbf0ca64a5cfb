// SPDX-License-Identifier: Apache-2.0
// Opening a latch closes one end of a socket pair, so that the other becomes ready for every thread that polls it, and
// stays so: it need not be drained, and cannot be missed. (A pipe would do as well, but Glibc's module has no `pipe2`,
// and without it a child process could inherit the descriptors.)
internal import TernLibC
internal import TernLock

/// An event that occurs once, such as for the step ``WebSocketStep/wait(_:)``. Any thread may open it and look at it.
public final class Latch: Sendable {
    /// Ready for `poll` once the latch is open.
    let descriptor: Int32
    private let farEnd: Lock<Int32?>

    /// Creates a closed latch.
    ///
    /// - Throws: ``ScriptedOriginError`` if the system has no descriptors left.
    public init() throws(ScriptedOriginError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw .system(call: "socketpair", errno: errno)
        }
        descriptor = ends[0]
        farEnd = Lock(ends[1])
    }

    /// Whether it has been opened.
    public var isOpen: Bool { farEnd.withLock { $0 == nil } }

    /// Waits until the latch is open, or for this time at most.
    func wait(_ limit: Duration) {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        unsafe poll(&polled, 1, limit.pollTimeout)
    }

    /// Lets everything that waits for it continue, now and later. Idempotent.
    public func open() {
        let end = farEnd.withLock { end in
            defer { end = nil }
            return end
        }
        if let end { close(end) }
    }

    deinit {
        open()
        close(descriptor)
    }
}

extension Duration {
    /// Whole milliseconds for `poll`, rounded down, at most some 24 days.
    var pollTimeout: Int32 {
        let (seconds, attoseconds) = components
        return Int32(clamping: min(seconds, 2_000_000) * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
