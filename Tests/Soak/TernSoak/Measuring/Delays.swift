// SPDX-License-Identifier: Apache-2.0

/// Delays of waiting requests, in milliseconds.
struct Delays: Codable, Sendable {
    var count = 0
    var p99 = 0.0
    var worst = 0.0
    /// The most that a reactor worked while one ping waited, and the most that was not spent waiting for a processor.
    var work = 0.0
    var awake = 0.0
    var failures = 0

    init() {}

    init(_ tally: LatencyCounter, failures: Int = 0) {
        count = tally.count
        self.failures = failures
        p99 = Double(tally.p99) / 1000
        worst = Double(tally.worst) / 1000
        work = Double(tally.work) / 1000
        awake = Double(tally.awake) / 1000
    }
}
