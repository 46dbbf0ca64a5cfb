// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC

/// A lock on a loop: held by its own thread, or by a thread that runs work in its place while it sleeps.
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
