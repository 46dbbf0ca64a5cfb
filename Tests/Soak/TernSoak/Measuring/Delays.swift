// SPDX-License-Identifier: Apache-2.0

/// How long somebody had to wait, in milliseconds.
struct Delays: Codable, Sendable {
    var count = 0
    var p99 = 0.0
    var worst = 0.0
    var failures = 0

    init() {}

    init(microseconds samples: [Int32], failures: Int = 0) {
        let sorted = samples.sorted()
        count = sorted.count
        self.failures = failures
        guard let last = sorted.last else { return }
        p99 = Double(sorted[sorted.count * 99 / 100]) / 1000
        worst = Double(last) / 1000
    }
}
