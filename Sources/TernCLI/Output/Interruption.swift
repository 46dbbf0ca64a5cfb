// SPDX-License-Identifier: Apache-2.0
// Safety: the pointers are to values that outlive the one system call they are passed to.
import TernLibC
import Synchronization
import TernIO
import TernLock

/// Runs an action when a signal tells the command to end, so that the command leaves no temporary file and keeps
/// what a download has received. In effect until it is released, or `end()`.
final class Interruption: Sendable {
    /// What the first signal leads to.
    enum Consequence: Sendable {
        /// The command ends as the signal would have ended it, when the other interruptions have run their actions.
        case death
        /// The command goes on, and ends by itself.
        case none
    }

    private struct Entry {
        weak var interruption: Interruption?
    }

    private static let signals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]
    private static let entries = Lock<[Entry]>([])
    /// The thread that waits for signals.
    private static let waiter = Atomic<pthread_t>(0)

    private let numbers: [Int32]
    private let action: @Sendable (Int32) -> Consequence
    private let received = Lock<Int32?>(nil)

    /// Starts the thread that waits for signals. Call it once, before any other thread starts: they inherit that signals
    /// are not theirs. A signal that is ignored stays so.
    static func listen() throws(SystemCallError) {
        let numbers = signals.filter { !isIgnored($0) }
        let isWaiting = Semaphore()
        block(numbers, SIG_BLOCK)
        do throws(SystemCallError) {
            try detachThread(name: "tern-signals") {
                waiter.store(pthread_self(), ordering: .releasing)
                isWaiting.signal()
                while let number = wait(for: numbers) { receive(number) }
            }
        } catch {
            block(numbers, SIG_UNBLOCK)
            throw error
        }
        isWaiting.wait()
        for number in numbers { passOn(number) }
    }

    /// Dispatch has the main thread sleep with no signal blocked: what comes there is passed on to the thread that waits.
    private static func passOn(_ number: Int32) {
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { number in
            pthread_kill(Interruption.waiter.load(ordering: .acquiring), number)
        }
        action.sa_flags = SA_RESTART
        _ = unsafe sigaction(number, &action, nil)
    }

    /// - Parameters:
    ///   - signals: The numbers to listen to.
    ///   - action: Runs at the first signal, with its number. The second signal ends the command at once.
    init(by signals: [Int32] = signals, _ action: @escaping @Sendable (Int32) -> Consequence) {
        (numbers, self.action) = (signals, action)
        Self.entries.withLock { entries in
            entries.removeAll { $0.interruption == nil }
            entries.append(Entry(interruption: self))
        }
    }

    /// The first signal that came.
    var signal: Int32? { received.withLock { $0 } }

    /// Signals have their default action again.
    func end() { Self.entries.withLock { $0.removeAll { $0.interruption === self } } }

    private static func receive(_ number: Int32) {
        let all = entries.withLock { $0.compactMap(\.interruption) }.filter { $0.numbers.contains(number) }
        let isFirst = all.allSatisfy { $0.isFirst(number) }
        if !isFirst || all.isEmpty || all.map({ $0.action(number) }).contains(.death) { die(of: number) }
    }

    private func isFirst(_ number: Int32) -> Bool {
        received.withLock { received in
            defer { received = received ?? number }
            return received == nil
        }
    }

    private static func wait(for numbers: [Int32]) -> Int32? {
        var set = set(of: numbers)
        var number: Int32 = 0
        return unsafe sigwait(&set, &number) == 0 ? number : nil
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static func set(of numbers: [Int32]) -> sigset_t {
        var set = sigset_t()
        _ = unsafe sigemptyset(&set)
        for number in numbers { _ = unsafe sigaddset(&set, number) }
        return set
    }

    private static func block(_ numbers: [Int32], _ how: Int32) {
        var set = set(of: numbers)
        _ = unsafe pthread_sigmask(how, &set, nil)
    }

    /// Ends the command as the signal would have.
    static func die(of number: Int32) {
        _ = TernLibC.signal(number, SIG_DFL)
        block([number], SIG_UNBLOCK)
        _ = raise(number)
    }
}
