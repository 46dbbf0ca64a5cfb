// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc
import Synchronization

/// How other threads reach a reactor: a locked queue, and an eventfd that is written once per sleep, not once per item.
///
/// The reactor says under the lock that it is about to sleep; only then does a sender owe it a wake-up, and only the
/// first sender. While the reactor is busy, sending costs a lock and nothing else.
final class Mailbox: Sendable {
    enum Item {
        case job(UnownedJob)
        case work(@Sendable () -> Void)
    }

    private struct State {
        var items: [Item] = []
        var isSleeping = false
        var isStopped = false
        var isEnded = false
    }

    let wakeUp: Descriptor
    private let state = Mutex(State())

    init() throws(SystemError) {
        wakeUp = Descriptor(
            owning: try SystemCall.run(.eventfd) { eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)) })
    }

    /// False if nobody will ever collect the item.
    func send(_ item: Item) -> Bool {
        let (isAccepted, owesWakeUp) = state.withLock { state in
            if state.isEnded { return (false, false) }
            state.items.append(item)
            return (true, Self.endSleep(&state))
        }
        if owesWakeUp { signal() }
        return isAccepted
    }

    /// Asks the reactor to end once everything sent so far has run.
    func stop() {
        let owesWakeUp = state.withLock { state in
            state.isStopped = true
            return Self.endSleep(&state)
        }
        if owesWakeUp { signal() }
    }

    /// Swaps the waiting items into `items`, which must be empty.
    func collect(into items: inout [Item]) {
        state.withLock { state in
            state.isSleeping = false
            swap(&state.items, &items)
        }
    }

    /// Whether the reactor was asked to end and nothing is left to do; from then on nothing more is accepted.
    func mayEnd() -> Bool {
        state.withLock { state in
            if state.isStopped, state.items.isEmpty { state.isEnded = true }
            return state.isEnded
        }
    }

    /// Whether the reactor may sleep; from then on a sender signals.
    func mayEnterSleep() -> Bool {
        state.withLock { state in
            guard state.items.isEmpty, !state.isStopped else { return false }
            state.isSleeping = true
            return true
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
