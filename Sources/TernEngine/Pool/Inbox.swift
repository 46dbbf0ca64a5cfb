// SPDX-License-Identifier: Apache-2.0
import TernIO
import TernLock

/// The commands of other threads to a shard that its loop has not performed, in order. The thread that adds the first
/// one must wake the loop, which then takes commands until there are none.
///
/// Each shard has its own inbox, and the loop takes as many commands as it has time for in a tick: a hundred thousand
/// commands to one session do not delay one to another.
final class Inbox<Sender: ConnectionRequester>: Sendable {
    struct Entry: Sendable {
        let command: TaskCommand
        let sender: Sender
    }

    private struct State: ~Copyable, Sendable {
        var entries = WorkQueue<Entry>()
        /// The one that the loop is performing.
        var taken: Entry?
        var isAwaited = false
    }

    private let state = Lock(State())

    /// Returns whether the loop must be woken.
    func add(_ command: TaskCommand, from sender: Sender) -> Bool {
        state.withLock { state in
            state.entries.append(Entry(command: command, sender: sender))
            defer { state.isAwaited = true }
            return !state.isAwaited
        }
    }

    /// The next one; nil if there is none, and the next sender must wake the loop. The one before has been performed.
    func next() -> Entry? {
        // It is released without the lock.
        var performed: Entry?
        return state.withLock { state in
            swap(&state.taken, &performed)
            state.taken = state.entries.popFirst()
            if state.taken == nil { state.isAwaited = false }
            return state.taken
        }
    }

    /// The senders of the starts that have not been performed.
    var starting: [Sender] {
        let (taken, waiting) = state.withLock { ($0.taken, $0.entries.elements) }
        return ([taken] + waiting).compactMap { entry in entry?.command == .start ? entry?.sender : nil }
    }
}
