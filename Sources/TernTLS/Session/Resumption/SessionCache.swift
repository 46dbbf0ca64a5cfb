// SPDX-License-Identifier: Apache-2.0

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
    }

    /// The newest sessions of one key, the newest last.
    fileprivate struct Shelf {
        var sessions: [ResumableSession] = []
        var lastUse: UInt64 = 0
    }

    fileprivate struct State {
        var shelves: [Key: Shelf] = [:]
        var uses: UInt64 = 0
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

    /// The newest session for `key` that can still be used at `time`. A ticket of TLS 1.3 is given out once.
    func take(_ key: Key, at time: Int64) -> ResumableSession? {
        state.withLock { state -> ResumableSession? in
            guard var shelf = state.shelves.removeValue(forKey: key) else { return nil }
            shelf.sessions.removeAll { !$0.isUsable(at: time) }
            guard let session = shelf.sessions.last else { return nil }
            if session.reference.isOneUse { shelf.sessions.removeLast() }
            if !shelf.sessions.isEmpty { state.put(shelf, key) }
            return session
        }
    }

    func store(_ session: ResumableSession, for key: Key) {
        state.withLock { state in
            var shelf = state.shelves.removeValue(forKey: key) ?? Shelf()
            // An old session of TLS 1.2 is of no use beside a new one.
            shelf.sessions.removeAll { !$0.reference.isOneUse }
            if shelf.sessions.count >= sessionLimit { shelf.sessions.removeFirst() }
            shelf.sessions.append(session)
            if state.shelves.count >= keyLimit { state.dropOldest() }
            state.put(shelf, key)
        }
    }

    /// Drops what is kept for `key`: its server has choked on one of its own sessions.
    func forget(_ key: Key) {
        state.withLock { state in state.shelves[key] = nil }
    }

    /// How many sessions are kept.
    var count: Int { state.withLock { state in state.shelves.values.reduce(0) { $0 + $1.sessions.count } } }
}

extension SessionCache.State {
    fileprivate mutating func put(_ shelf: SessionCache.Shelf, _ key: SessionCache.Key) {
        uses &+= 1
        shelves[key] = shelf
        shelves[key]?.lastUse = uses
    }

    fileprivate mutating func dropOldest() {
        guard let oldest = shelves.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
        shelves[oldest.key] = nil
    }
}
