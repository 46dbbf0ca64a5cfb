// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC

/// A POSIX semaphore that begins at zero.
///
/// Safety: the pointer is owned, initialised in `init` and destroyed once in `deinit`, when no thread can wait any
/// more; sem_post(3) and sem_timedwait(3) may be called on any thread.
@safe package final class Semaphore: @unchecked Sendable {
    private let pointer: UnsafeMutablePointer<sem_t>

    package init() {
        unsafe pointer = .allocate(capacity: 1)
        unsafe sem_init(pointer, 0, 0)
    }

    deinit {
        unsafe sem_destroy(pointer)
        unsafe pointer.deallocate()
    }

    package func signal() { unsafe sem_post(pointer) }

    /// Takes a signal, waiting for it as long as necessary.
    package func wait() {
        while unsafe sem_wait(pointer) != 0, errno == EINTR {}
    }

    /// Takes a signal; false if none came in time. Nil waits as long as necessary.
    package func wait(atMost time: Duration?) -> Bool {
        guard let time else {
            wait()
            return true
        }
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        let (seconds, attoseconds) = max(.zero, time).components
        let nanoseconds = Int64(now.tv_nsec) + attoseconds / 1_000_000_000
        let (whole, rest) = (Int(seconds + nanoseconds / 1_000_000_000), Int(nanoseconds % 1_000_000_000))
        while unsafe tern_wait_for_semaphore(pointer, now.tv_sec + whole, rest) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }
}
