// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
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
        let policy: ServerTrustPolicy
        let rules: ChainRules
        /// The identity that takes the place of the context's.
        var identity: ClientIdentity?
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

/// The newest sessions of one key. Any thread may use it.
final class SessionList: Sendable {
    let key: SessionCache.Key
    /// Whether the cache stores the list. The cache may drop it at any time, and store it again with the next session.
    let isKept = Atomic(false)
    private let limit: Int
    /// The newest last.
    private let sessions = Lock<[ResumableSession]>([])

    /// - Parameter limit: the maximum number of sessions; a further one drops the oldest.
    init(key: SessionCache.Key, limit: Int) {
        self.key = key
        self.limit = limit
    }

    /// Returns the newest session that can still be used at `time`. A ticket of TLS 1.3 is returned only once.
    func take(at time: Int64) -> ResumableSession? {
        sessions.withLock { sessions in
            while let session = sessions.last {
                guard session.isUsable(at: time) else {
                    sessions.removeLast()
                    continue
                }
                if session.reference.isOneUse { sessions.removeLast() }
                return session
            }
            return nil
        }
    }

    func store(_ session: ResumableSession) {
        sessions.withLock { sessions in
            // An old session of TLS 1.2 is useless below a new one, and is never anywhere but on top.
            if sessions.last?.reference.isOneUse == false { sessions.removeLast() }
            if sessions.count >= limit { sessions.removeFirst() }
            sessions.append(session)
        }
    }

    /// Drops all sessions: the server has failed on one of its own.
    func clear() { sessions.withLock { $0.removeAll() } }

    var count: Int { sessions.withLock { $0.count } }
}

/// A session with the verdict under which it was established. A resumed handshake has no certificate, so the verdict is
/// kept with the session; and it must still hold when the session is offered.
struct ResumableSession: Sendable {
    let reference: SessionReference
    let evidence: TrustEvidence
    private let expiry: Int64

    init(_ reference: SessionReference, evidence: TrustEvidence) {
        self.reference = reference
        self.evidence = evidence
        expiry = reference.expiry
    }

    fileprivate func isUsable(at time: Int64) -> Bool { time < expiry && evidence.validity.contains(time) }
}

/// An `SSL_SESSION` of our own.
///
/// Safety: the pointer is owned, never nil, and freed once in `deinit`. It is a copy that no connection has used, and
/// is lent to at most one, as its last use; a session that may be used again is copied, and copying only reads.
@safe final class SessionReference: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// Copies `session`. A connection marks its own session unusable when it ends without close_notify or with an
    /// alert; the copy is not affected.
    @unsafe init?(copying session: OpaquePointer) {
        guard unsafe SSL_SESSION_is_resumable(session) == 1, let copy = unsafe SSL_SESSION_dup(session) else {
            OpenSSLError.clear()
            return nil
        }
        unsafe pointer = copy
    }

    deinit { unsafe SSL_SESSION_free(pointer) }

    /// Whether it may be offered only once (RFC 8446 §C.4: a ticket used twice lets an observer link the connections).
    /// A session of TLS 1.2 may be used again, and its server does not issue another with each use.
    fileprivate var isOneUse: Bool { unsafe SSL_SESSION_get_protocol_version(pointer) >= TLS1_3_VERSION }

    /// When it expires, in seconds since 1970: as given by the server, or else after OpenSSL's five minutes; after at
    /// most seven days (RFC 8446 §4.6.1).
    var expiry: Int64 {
        let told = Int64(clamping: unsafe SSL_SESSION_get_ticket_lifetime_hint(pointer))
        let lifetime = told > 0 ? told : unsafe Int64(SSL_SESSION_get_timeout(pointer))
        return unsafe Int64(SSL_SESSION_get_time(pointer)) + min(max(0, lifetime), 7 * 86400)
    }

    /// Lets `ssl` offer it: itself if it may be used once only, and must not be offered again, else a copy.
    @unsafe func offer(to ssl: OpaquePointer) -> Bool {
        if isOneUse { return unsafe SSL_set_session(ssl, pointer) == 1 }
        guard let copy = unsafe SSL_SESSION_dup(pointer) else { return false }
        defer { unsafe SSL_SESSION_free(copy) }
        return unsafe SSL_set_session(ssl, copy) == 1
    }
}
