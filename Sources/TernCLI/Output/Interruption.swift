// SPDX-License-Identifier: Apache-2.0
// Safety: the pointers are to values that outlive the one system call they are passed to.
import Dispatch
import Glibc
import TernLock

/// Runs an action when a signal tells the command to end, so that the command leaves no temporary file and keeps
/// what a download has received.
///
/// `sources` is only kept, which is what `@unchecked Sendable` rests on.
final class Interruption: @unchecked Sendable {
    private let numbers: [Int32]
    private let sources: [any DispatchSourceSignal]
    private let received = Lock<Int32?>(nil)

    /// Starts to listen, and returns when Dispatch does. A signal that is ignored stays so.
    ///
    /// - Parameters:
    ///   - signals: The numbers to listen to.
    ///   - action: Runs at the first signal, with its number. The second signal ends the command at once.
    init(
        by signals: [Int32] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM], _ action: @escaping @Sendable (Int32) -> Void
    ) {
        let queue = DispatchQueue(label: "tern.interruption")
        numbers = signals.filter { !Self.isIgnored($0) }
        sources = numbers.map { number in
            _ = Glibc.signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: queue)
        }
        for (number, source) in zip(numbers, sources) {
            source.setEventHandler { [weak self] in
                let isFirst = self?.received.withLock { received in
                    defer { received = received ?? number }
                    return received == nil
                }
                if isFirst == true { action(number) } else { Self.die(of: number) }
            }
        }
        let registered = DispatchGroup()
        for source in sources {
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.resume()
        }
        registered.wait()
    }

    /// The first signal that came.
    var signal: Int32? { received.withLock { $0 } }

    /// Restores the default action of the signals.
    func end() {
        for source in sources { source.cancel() }
        for number in numbers { _ = Glibc.signal(number, SIG_DFL) }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Ends the command as the signal would have.
    static func die(of number: Int32) {
        _ = Glibc.signal(number, SIG_DFL)
        var mask = sigset_t()
        _ = unsafe sigemptyset(&mask)
        _ = unsafe sigaddset(&mask, number)
        _ = unsafe pthread_sigmask(SIG_UNBLOCK, &mask, nil)
        _ = raise(number)
    }
}
