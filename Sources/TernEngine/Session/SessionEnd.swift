// SPDX-License-Identifier: Apache-2.0
import TernLock

/// The end of a session, for those who wait for it.
final class SessionEnd: Sendable {
    /// Nil once it is there.
    private let waiters = Lock<[CheckedContinuation<Void, Never>]?>([])

    func wait() async {
        await withCheckedContinuation { continuation in
            let isThere = waiters.withLock { waiters in
                waiters?.append(continuation)
                return waiters == nil
            }
            if isThere { continuation.resume() }
        }
    }

    func begin() {
        for waiter in waiters.withLock({ $0.take() }) ?? [] { waiter.resume() }
    }
}
