// SPDX-License-Identifier: Apache-2.0
import TernLock

/// What happened, in order, on whatever thread.
final class Journal<Entry: Sendable>: Sendable {
    private let state = Lock<[Entry]>([])
    var entries: [Entry] { state.withLock { $0 } }
    func append(_ entry: Entry) { state.withLock { $0.append(entry) } }
}
