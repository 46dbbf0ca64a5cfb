// SPDX-License-Identifier: Apache-2.0
import TernLock

/// How often an origin was asked.
final class AttemptCount: Sendable {
    private let count = Lock(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }

    func reset() { count.withLock { $0 = 0 } }
}
