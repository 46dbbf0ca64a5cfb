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
    }

    let wakeUp: Descriptor
    private let state = Mutex(State())

    init() throws(SystemError) {
        wakeUp = Descriptor(
            owning: try SystemCall.run(.eventfd) { eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)) })
    }

    func send(_ item: Item) {
        let owesWakeUp = state.withLock { state in
            state.items.append(item)
            return Self.endSleep(&state)
        }
        if owesWakeUp { signal() }
    }

    /// Asks the reactor to end once everything sent so far has run.
    func stop() {
        let owesWakeUp = state.withLock { state in
            state.isStopped = true
            return Self.endSleep(&state)
        }
        if owesWakeUp { signal() }
    }

    /// Swaps the waiting items into `items`, which must be empty. Returns whether the reactor was asked to end.
    func collect(into items: inout [Item]) -> Bool {
        state.withLock { state in
            state.isSleeping = false
            swap(&state.items, &items)
            return state.isStopped
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
