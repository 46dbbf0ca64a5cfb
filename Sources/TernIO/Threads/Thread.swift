// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC

/// Detached POSIX threads that block the signals sent to the process, so that the program's handlers never run on them.
/// Signals that a thread raises itself stay unblocked: otherwise a crash would bypass the program's crash reporter.
enum Thread {
    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void
        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    static func start(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemCallError) {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // The new thread inherits the mask it is created under.
        var blocked = sigset_t()
        var old = sigset_t()
        unsafe sigfillset(&blocked)
        for raised in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] {
            unsafe sigdelset(&blocked, raised)
        }
        unsafe pthread_sigmask(SIG_SETMASK, &blocked, &old)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &old, nil) }
        // The thread's first act balances this retain; if no thread starts, the code below does.
        let start = unsafe Unmanaged.passRetained(Start(name: String(name.prefix(15)), body: body))
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                unsafe tern_name_current_thread(start.name)
                start.body()
                return nil
            }, start.toOpaque())
        if code != 0 {
            unsafe start.release()
            throw SystemCallError(.pthreadCreate, code: code)
        }
    }
}

/// Runs `work` on a new thread, which ends with it.
package func detachThread(
    name: String, _ work: @escaping @Sendable () -> Void
) throws(SystemCallError) {
    try Thread.start(name: name, work)
}
