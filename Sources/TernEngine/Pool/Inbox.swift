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

    /// The next one; nil if there is none, and the next sender must wake the loop.
    func next() -> Entry? {
        state.withLock { state in
            if let entry = state.entries.popFirst() { return entry }
            state.isAwaited = false
            return nil
        }
    }
}
