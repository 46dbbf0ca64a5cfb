// SPDX-License-Identifier: Apache-2.0
import Synchronization

@testable import TernEngine

/// The only reference to a session, shared by those who use it, and dropped by any of them.
final class SessionHolder: Sendable {
    private let held: Mutex<Session?>

    init(_ session: Session) { held = Mutex(session) }

    var session: Session? { held.withLock { $0 } }

    func drop() {
        // The last release must not run under the lock.
        let dropped = held.withLock { $0.take() }
        _ = dropped
    }
}
