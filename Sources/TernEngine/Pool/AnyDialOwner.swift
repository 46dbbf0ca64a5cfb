// SPDX-License-Identifier: Apache-2.0

/// The owner of a pool's diallers and connections, without the type of the pool's requesters: if the generic pool
/// itself conformed to a protocol, its witnesses would be looked up in every call.
final class AnyDialOwner: DialOwner {
    struct Calls {
        let isAwaited: () -> Bool
        let free: (Connection) -> Void
        let closed: (Connection, _ wasResting: Bool) -> Void
        let opened: (Dialler, Connection) -> Void
        let failed: (Dialler, DialFailure) -> Void
        let respondent: (Dialler) -> (any TrustRespondent)?
    }

    private let calls: Calls

    init(_ calls: Calls) { self.calls = calls }

    var isAwaited: Bool { calls.isAwaited() }

    func connectionFree(_ connection: Connection) { calls.free(connection) }

    func connectionClosed(_ connection: Connection, wasResting: Bool) { calls.closed(connection, wasResting) }

    func dialler(_ dialler: Dialler, opened connection: Connection) { calls.opened(dialler, connection) }

    func dialler(_ dialler: Dialler, failed failure: DialFailure) { calls.failed(dialler, failure) }

    func respondent(of dialler: Dialler) -> (any TrustRespondent)? { calls.respondent(dialler) }
}
