// SPDX-License-Identifier: Apache-2.0
import TernIO
import TernLock

/// What other threads have asked of a shard and its loop has not got to, first come, first served. Whoever adds the
/// first letter has to see to it that the loop comes; it then takes them until there are none.
///
/// Each shard has its own, and the loop takes as many as it has time for in a turn: a hundred thousand commands to one
/// session do not delay the one to another.
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

    /// Returns whether nobody has sent for the loop yet.
    func add(_ command: TaskCommand, from sender: Sender) -> Bool {
        state.withLock { state in
            state.entries.append(Entry(command: command, sender: sender))
            defer { state.isAwaited = true }
            return !state.isAwaited
        }
    }

    /// The next one; nil if there is none, and the loop has to be sent for again.
    func next() -> Entry? {
        state.withLock { state in
            if let entry = state.entries.popFirst() { return entry }
            state.isAwaited = false
            return nil
        }
    }
}
