// SPDX-License-Identifier: Apache-2.0
import TernLock

/// What happened, in order, written from any thread.
final class Journal: Sendable {
    private let lines = Lock<[String]>([])

    func note(_ line: String) { lines.withLock { $0.append(line) } }

    var entries: [String] { lines.withLock { $0 } }
}

/// Waits for what other threads bring about; false after 30 seconds.
func eventually(_ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < end {
        if condition() { return true }
        // Not a turn after the other: that would take a processor from those who bring it about.
        try? await Task.sleep(for: .milliseconds(1))
    }
    return condition()
}
