// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc
import TernLock

/// How other threads reach a reactor: a locked queue, and an eventfd that is written once per sleep, not once per item.
///
/// The reactor says under the lock that it is about to sleep; only then does a sender owe it a wake-up, and only the
/// first sender. While the reactor is busy, sending costs a lock and nothing else.
final class Mailbox: Sendable {
    enum Item {
        case job(ReactorJob)
        case work(@Sendable () -> Void)
    }

    private enum Phase {
        case running
        /// The reactor is not referenced any more; what is in the mailbox still runs.
        case stopping
        /// Nothing is taken any more.
        case ended
    }

    private struct State: ~Copyable {
        var items = WorkQueue<Item>()
        var isSleeping = false
        var phase = Phase.running
    }

    let wakeUp: Descriptor
    private let state = Lock(State())

    init() throws(SystemCallError) {
        wakeUp = Descriptor(
            owning: try SystemCall.run(.eventfd) { eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)) })
    }

    /// Returns whether `item` was taken; an ended reactor takes none.
    func send(_ item: Item) -> Bool {
        let (isTaken, needsWakeUp) = state.withLock { state in
            switch state.phase {
            case .running, .stopping:
                state.items.append(item)
                return (true, Self.endSleep(&state))
            case .ended:
                return (false, false)
            }
        }
        if needsWakeUp { signal() }
        return isTaken
    }

    /// Asks the reactor to end once everything sent so far, and what that sends in turn, has run.
    func stop() {
        let needsWakeUp = state.withLock { state in
            state.phase = .stopping
            return Self.endSleep(&state)
        }
        if needsWakeUp { signal() }
    }

    /// Ends the reactor's sleep, if it sleeps.
    func wake() {
        if state.withLock({ Self.endSleep(&$0) }) { signal() }
    }

    /// Swaps the waiting items into `items`, which must be empty.
    func collect(into items: inout WorkQueue<Item>) {
        assert(items.isEmpty)
        state.withLock { state in
            state.isSleeping = false
            swap(&state.items, &items)
        }
    }

    /// Whether the reactor may sleep; from then on a sender signals.
    func mayEnterSleep() -> Bool {
        state.withLock { state in
            switch state.phase {
            case .running: state.isSleeping = state.items.isEmpty
            case .stopping, .ended: state.isSleeping = false
            }
            return state.isSleeping
        }
    }

    /// Whether the reactor was asked to end and has nothing left to run; from then on nothing is taken.
    func mayEnd() -> Bool {
        state.withLock { state in
            switch state.phase {
            case .running: return false
            case .stopping:
                guard state.items.isEmpty else { return false }
                state.phase = .ended
                return true
            case .ended: return true
            }
        }
    }

    private static func endSleep(_ state: inout State) -> Bool {
        defer { state.isSleeping = false }
        return state.isSleeping
    }

    private func signal() {
        // The descriptor is registered edge-triggered and never read: each write is a new edge, and a counter that
        // takes one per sleep cannot fill 64 bits.
        _ = eventfd_write(wakeUp.rawValue, 1)
    }
}
