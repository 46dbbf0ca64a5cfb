// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc

/// Whose turn it is on a loop: its own thread's, or that of a thread which does something in its place while it sleeps.
@safe
final class TickLock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    func lock() { unsafe pthread_mutex_lock(mutex) }

    func tryLock() -> Bool { unsafe pthread_mutex_trylock(mutex) == 0 }

    func unlock() { unsafe pthread_mutex_unlock(mutex) }
}
