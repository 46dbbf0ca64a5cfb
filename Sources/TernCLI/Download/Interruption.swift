// SPDX-License-Identifier: Apache-2.0
// Safety: the pointers are to values that live as long as the one system call they are lent to.
import Dispatch
import Glibc
import TernLock

/// Does something when the command is told to end, before it does: what has come is kept, and nothing else is left
/// behind.
///
/// The sources are only kept, which is what `@unchecked Sendable` rests on.
final class Interruption: @unchecked Sendable {
    private let numbers: [Int32]
    private let sources: [any DispatchSourceSignal]
    private let received = Lock<Int32?>(nil)

    /// `action` runs at the first signal; the second ends the command at once. One that is ignored stays so.
    init(_ action: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "tern.interruption")
        numbers = [SIGHUP, SIGINT, SIGTERM].filter { !UnfinishedFile.isIgnored($0) }
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
                if isFirst == true { action() } else { UnfinishedFile.die(of: number) }
            }
        }
        sources.begin()
    }

    /// The first that came.
    var signal: Int32? { received.withLock { $0 } }

    /// Signals do what they did before.
    func end() {
        for source in sources { source.cancel() }
        for number in numbers { _ = Glibc.signal(number, SIG_DFL) }
    }

    /// Ends the command as the signal would have.
    static func die(of number: Int32) { UnfinishedFile.die(of: number) }
}
