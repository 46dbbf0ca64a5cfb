// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Runs a closure when it has been counted down.
package final class Countdown: Sendable {
    private let left: Atomic<Int>
    private let body: @Sendable () -> Void

    package init(from count: Int, _ body: @escaping @Sendable () -> Void) {
        left = Atomic(count)
        self.body = body
    }

    package func count() { if left.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 { body() } }

    package func end() { body() }
}
