// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TernLock

/// The newest sessions of one key. Any thread.
final class SessionList: Sendable {
    let key: SessionCache.Key
    /// Whether the cache has it. It may lose it at any time, and get it back with the next session.
    let isKept = Atomic(false)
    private let limit: Int
    /// The newest last.
    private let sessions = Lock<[ResumableSession]>([])

    /// - Parameter limit: how many sessions are kept; one more drops the oldest.
    init(key: SessionCache.Key, limit: Int) {
        self.key = key
        self.limit = limit
    }

    /// The newest session that can still be used at `time`. A ticket of TLS 1.3 is given out once.
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
            // An old session of TLS 1.2 is of no use below a new one, and is never anywhere but on top.
            if sessions.last?.reference.isOneUse == false { sessions.removeLast() }
            if sessions.count >= limit { sessions.removeFirst() }
            sessions.append(session)
        }
    }

    /// Drops what is kept: the server has choked on one of its own sessions.
    func clear() { sessions.withLock { $0.removeAll() } }

    var count: Int { sessions.withLock { $0.count } }
}
