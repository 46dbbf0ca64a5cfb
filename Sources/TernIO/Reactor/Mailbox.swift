// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC
import TernLock

/// Sends work to a reactor from other threads: a locked queue, and an eventfd that is written once per sleep, not once
/// per item.
///
/// The reactor announces under the lock that it is about to sleep; only then must a sender wake it, and only the first
/// one. While the reactor is busy, sending costs a lock and nothing else.
final class Mailbox: Sendable {
    enum Item {
        case job(ReactorJob)
        case work(@Sendable () -> Void)
    }

    private enum Phase {
        case running
        /// The reactor has no references left; items in the mailbox still run.
        case stopping
        /// No item is accepted any more.
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

    /// Returns whether `item` was accepted; an ended reactor accepts none.
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

    /// Asks the reactor to end once everything sent so far, and everything that this sends, has run.
    func stop() {
        let needsWakeUp = state.withLock { state in
            state.phase = .stopping
            return Self.endSleep(&state)
        }
        if needsWakeUp { signal() }
    }

    /// Wakes the reactor if it sleeps.
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

    /// Whether the reactor may sleep; if so, the next sender wakes it.
    func mayEnterSleep() -> Bool {
        state.withLock { state in
            switch state.phase {
            case .running: state.isSleeping = state.items.isEmpty
            case .stopping, .ended: state.isSleeping = false
            }
            return state.isSleeping
        }
    }

    /// Whether the reactor was asked to end and has nothing left to run; if so, no further item is accepted.
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
        // The descriptor is registered edge-triggered and never read: each write is a new edge, and a counter
        // incremented once per sleep cannot overflow 64 bits.
        _ = eventfd_write(wakeUp.rawValue, 1)
    }
}
