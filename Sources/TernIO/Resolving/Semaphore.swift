// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc

/// A POSIX semaphore that begins at zero.
///
/// Safety: the pointer is owned, initialised in `init` and destroyed once in `deinit`, when no thread can wait any
/// more; sem_post(3) and sem_timedwait(3) may be called on any thread.
@safe final class Semaphore: @unchecked Sendable {
    private let pointer: UnsafeMutablePointer<sem_t>

    init() {
        unsafe pointer = .allocate(capacity: 1)
        unsafe sem_init(pointer, 0, 0)
    }

    deinit {
        unsafe sem_destroy(pointer)
        unsafe pointer.deallocate()
    }

    func signal() { unsafe sem_post(pointer) }

    /// Takes a signal, waiting for it as long as necessary.
    func wait() {
        while unsafe sem_wait(pointer) != 0, errno == EINTR {}
    }

    /// Takes a signal; false if none came in time. Uses the wall clock, so adjusting that clock lengthens or shortens
    /// the wait.
    func wait(atMost time: Duration) -> Bool {
        var end = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &end)
        let (seconds, attoseconds) = time.components
        let nanoseconds = Int64(end.tv_nsec) + attoseconds / 1_000_000_000
        end.tv_sec += Int(seconds + nanoseconds / 1_000_000_000)
        end.tv_nsec = Int(nanoseconds % 1_000_000_000)
        while unsafe sem_timedwait(pointer, &end) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }
}
