// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc

/// Keeps a signal that a system call raises on its own thread from being delivered.
struct BlockedSignal {
    /// Raised by writing to a connection that is broken, beside `EPIPE`.
    static let pipe = BlockedSignal(number: SIGPIPE)
    /// Raised by making a file larger than the process may (`RLIMIT_FSIZE`), beside `EFBIG`.
    static let fileSize = BlockedSignal(number: SIGXFSZ)

    let number: Int32

    /// Runs `body` with the signal blocked. Where it is blocked anyhow, as on a reactor's thread, that costs one system
    /// call.
    func during<R>(_ body: () throws(SystemError) -> R) throws(SystemError) -> R {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, number)
        var before = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, &set, &before)
        // Then it stays pending on a thread that will never hear of it.
        if unsafe sigismember(&before, number) == 1 { return try body() }
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        do throws(SystemError) {
            return try body()
        } catch {
            // What `body` raised is taken away before the signal is let through again; if it raised nothing, nothing is
            // waited for.
            var none = timespec()
            unsafe sigtimedwait(&set, nil, &none)
            throw error
        }
    }
}
