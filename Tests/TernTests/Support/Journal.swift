// SPDX-License-Identifier: Apache-2.0
import TernLock

/// What happened, in order, written from any thread.
final class Journal: Sendable {
    private let lines = Lock<[String]>([])

    func note(_ line: String) { lines.withLock { $0.append(line) } }

    var entries: [String] { lines.withLock { $0 } }
}
