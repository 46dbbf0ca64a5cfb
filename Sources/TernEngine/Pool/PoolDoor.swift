// SPDX-License-Identifier: Apache-2.0

/// A pool as its connections know it: without the type of its requesters, which a protocol that the pool itself
/// conformed to would have to look up in every call.
final class PoolDoor: DialOwner {
    private let isWaitedAt: () -> Bool
    private let free: (Connection) -> Void
    private let closed: (Connection, Bool) -> Void
    private let opened: (Dialler, Connection) -> Void
    private let failed: (Dialler, DialFailure) -> Void
    private let reliant: (Dialler) -> (any TrustRespondent)?

    init<Requester>(_ pool: ConnectionPool<Requester>) {
        isWaitedAt = { pool.isAwaited }
        free = { pool.connectionFree($0) }
        closed = { pool.connectionClosed($0, wasResting: $1) }
        opened = { pool.dialler($0, opened: $1) }
        failed = { pool.dialler($0, failed: $1) }
        reliant = { pool.respondent(of: $0) }
    }

    var isAwaited: Bool { isWaitedAt() }

    func connectionFree(_ connection: Connection) { free(connection) }

    func connectionClosed(_ connection: Connection, wasResting: Bool) { closed(connection, wasResting) }

    func dialler(_ dialler: Dialler, opened connection: Connection) { opened(dialler, connection) }

    func dialler(_ dialler: Dialler, failed failure: DialFailure) { failed(dialler, failure) }

    func respondent(of dialler: Dialler) -> (any TrustRespondent)? { reliant(dialler) }
}
