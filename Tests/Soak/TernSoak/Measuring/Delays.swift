// SPDX-License-Identifier: Apache-2.0

/// How long somebody had to wait, in milliseconds.
struct Delays: Codable, Sendable {
    var count = 0
    var p99 = 0.0
    var worst = 0.0
    /// The most that a reactor worked while one ping waited, and the most that was not spent waiting for a processor.
    var work = 0.0
    var awake = 0.0
    var failures = 0

    init() {}

    init(_ delays: [Delay], failures: Int = 0) {
        let sorted = delays.map(\.whole).sorted()
        count = sorted.count
        self.failures = failures
        guard let last = sorted.last else { return }
        p99 = Double(sorted[sorted.count * 99 / 100]) / 1000
        worst = Double(last) / 1000
        work = Double(delays.map(\.work).max() ?? 0) / 1000
        awake = Double(delays.map(\.awake).max() ?? 0) / 1000
    }
}
