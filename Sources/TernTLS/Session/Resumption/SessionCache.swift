// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TernLock

/// The sessions that one context's servers let us resume. Any thread.
///
/// The cache belongs to the context, and with it to its anchors, versions and client identity; the key adds the rest of
/// what a connection's security depends on. So a session is never resumed under other demands than it was made under.
final class SessionCache: Sendable {
    struct Key: Hashable {
        let host: String
        let port: UInt16
        let policy: PolicyIdentity
        let profile: TrustProfile
        /// Whether the user of the session is asked about verdicts: its sessions are kept with what the verdict was
        /// reached by.
        var asksUser = false
    }

    private struct Entry {
        let list: SessionList
        var lastUse: UInt64
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var uses: UInt64 = 0

        mutating func dropOldest() {
            guard let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
            oldest.value.list.isKept.store(false, ordering: .relaxed)
            entries[oldest.key] = nil
        }
    }

    private let keyLimit: Int
    private let sessionLimit: Int
    private let state = Lock(State())

    /// - Parameters:
    ///   - keyLimit: how many keys are remembered; one more drops the one that was used least recently.
    ///   - sessionLimit: how many sessions are kept for each; one more drops the oldest.
    init(keyLimit: Int = 256, sessionLimit: Int = 8) {
        self.keyLimit = max(1, keyLimit)
        self.sessionLimit = max(1, sessionLimit)
    }

    /// Where the sessions for `key` are: an empty list, not kept yet, if there are none. A connection asks once and
    /// holds the list: keys are long.
    func list(for key: Key) -> SessionList {
        state.withLock { state in
            guard let index = state.entries.index(forKey: key) else {
                return SessionList(key: key, limit: sessionLimit)
            }
            state.uses &+= 1
            state.entries.values[index].lastUse = state.uses
            return state.entries.values[index].list
        }
    }

    /// Puts `session` on `list`, or on the one that is kept for the same key. Only servers that issue sessions take up
    /// room.
    func store(_ session: ResumableSession, on list: SessionList) {
        if list.isKept.load(ordering: .relaxed) { return list.store(session) }
        let kept = state.withLock { state in
            if let kept = state.entries[list.key]?.list { return kept }
            if state.entries.count >= keyLimit { state.dropOldest() }
            state.uses &+= 1
            state.entries[list.key] = Entry(list: list, lastUse: state.uses)
            list.isKept.store(true, ordering: .relaxed)
            return list
        }
        kept.store(session)
    }

    /// How many sessions are kept.
    var count: Int { state.withLock { $0.entries.values.map(\.list) }.reduce(0) { $0 + $1.count } }
}
