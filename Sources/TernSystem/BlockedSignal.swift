// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC

/// Keeps a signal that a system call raises on its own thread from being delivered.
package struct BlockedSignal: Sendable {
    /// The signal of a write to a broken connection, beside `EPIPE`.
    package static let pipe = BlockedSignal(number: SIGPIPE)
    /// The signal of a write past the size that files of this process may have (`RLIMIT_FSIZE`), beside `EFBIG`.
    package static let fileSize = BlockedSignal(number: SIGXFSZ)

    let number: Int32

    /// Runs `body` with the signal blocked. On a thread that blocks it already, such as a reactor's, that costs one
    /// system call.
    package func during<R>(_ body: () throws(SystemCallError) -> R) throws(SystemCallError) -> R {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, number)
        var before = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, &set, &before)
        // The signal stays pending on a thread that never receives it.
        if unsafe sigismember(&before, number) == 1 { return try body() }
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        do throws(SystemCallError) {
            return try body()
        } catch {
            // Takes the signal that `body` raised before the mask lets it through. Does not wait if there is none.
            var none = timespec()
            unsafe sigtimedwait(&set, nil, &none)
            throw error
        }
    }
}
