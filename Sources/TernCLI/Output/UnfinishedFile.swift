// SPDX-License-Identifier: Apache-2.0
// Safety: the pointers are to values that live as long as the one system call they are lent to.
import Dispatch
import Glibc

/// A file that must not be left behind, however the command ends: by its own error, or by a signal. Made before the
/// file is.
///
/// The sources are only kept, which is what `@unchecked Sendable` rests on.
final class UnfinishedFile: @unchecked Sendable {
    private let path: String
    private let sources: [any DispatchSourceSignal]

    /// Of these the command ends as it would have, when the file has gone. One that was ignored stays so.
    private static let signals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]

    init(path: String) {
        self.path = path
        // Both are errors of write(2) then.
        for number in [SIGPIPE, SIGXFSZ] { _ = signal(number, SIG_IGN) }
        let queue = DispatchQueue(label: "tern.signals")
        sources = Self.signals.filter { !Self.isIgnored($0) }.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                _ = unsafe unlink(path)
                Self.die(of: number)
            }
            return source
        }
        // A signal that comes before is the end of the command as well, and nothing is there yet.
        sources.begin()
    }

    /// Does nothing if the file has its final name by now: no other file has this one.
    func remove() { _ = unsafe unlink(path) }

    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Ends the command as the signal would have.
    static func die(of number: Int32) {
        _ = signal(number, SIG_DFL)
        var mask = sigset_t()
        _ = unsafe sigemptyset(&mask)
        _ = unsafe sigaddset(&mask, number)
        _ = unsafe pthread_sigmask(SIG_UNBLOCK, &mask, nil)
        _ = raise(number)
    }
}

extension [any DispatchSourceSignal] {
    /// Resumes them, and waits until Dispatch listens, which it does a moment later.
    func begin() {
        let registered = DispatchGroup()
        for source in self {
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.resume()
        }
        registered.wait()
    }
}
