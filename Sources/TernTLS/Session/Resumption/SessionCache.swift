// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TernLock

/// The resumable sessions of one context's servers. Any thread may use it.
///
/// The cache belongs to the context, and with it to its anchors, versions and client identity; the key adds everything
/// else that a connection's security depends on. So a session is never resumed under other demands than those under
/// which it was established.
final class SessionCache: Sendable {
    struct Key: Hashable {
        let host: String
        let port: UInt16
        let policy: PolicyIdentity
        let profile: TrustProfile
        /// Whether the session's user is asked about verdicts: its sessions are kept with the input of the verdict.
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
    ///   - keyLimit: the maximum number of keys; a further one drops the least recently used.
    ///   - sessionLimit: the maximum number of sessions for each; a further one drops the oldest.
    init(keyLimit: Int = 256, sessionLimit: Int = 8) {
        self.keyLimit = max(1, keyLimit)
        self.sessionLimit = max(1, sessionLimit)
    }

    /// Returns the sessions for `key`: an empty list, not stored yet, if there are none. A connection looks it up once
    /// and retains the list, because keys are long.
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

    /// Adds `session` to `list`, or to the list stored for the same key. Only servers that issue sessions use storage.
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

    /// The number of stored sessions.
    var count: Int { state.withLock { $0.entries.values.map(\.list) }.reduce(0) { $0 + $1.count } }
}
