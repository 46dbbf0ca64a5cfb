// SPDX-License-Identifier: Apache-2.0

@testable import TernEngine
import TernLock

/// The only reference to a session, shared by its users, and dropped by any of them.
final class SessionHolder: Sendable {
    private let held: Lock<Session?>

    init(_ session: Session) { held = Lock(session) }

    var session: Session? { held.withLock { $0 } }

    func drop() { replace(by: nil) }

    func replace(by session: Session?) {
        // The last release must not run under the lock.
        let dropped = held.withLock { held in
            defer { held = session }
            return held
        }
        _ = dropped
    }
}
