// SPDX-License-Identifier: Apache-2.0
import TernLock

@testable import TernEngine

/// Watches trust files for a test, and collects what they report.
final class Watch: Sendable {
    let files: TrustFiles
    private let events: AsyncStream<String>
    private let told = Lock(0)

    static var habits: TrustFiles.Habits {
        var habits = TrustFiles.Habits()
        habits.settleTime = .milliseconds(1)
        habits.checkInterval = .milliseconds(200)
        return habits
    }

    init(_ paths: TrustFilePaths, _ habits: TrustFiles.Habits = Watch.habits) throws {
        let (events, continuation) = AsyncStream<String>.makeStream()
        self.events = events
        files = try TrustFiles(paths, habits) { continuation.yield("\($0)") }
    }

    /// The next event as text.
    func next() async -> String {
        for await event in events {
            told.withLock { $0 += 1 }
            return event
        }
        return ""
    }

    /// How many events were taken.
    var count: Int { told.withLock { $0 } }
}
