// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TernLock

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
