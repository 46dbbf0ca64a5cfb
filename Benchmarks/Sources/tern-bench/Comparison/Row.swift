// SPDX-License-Identifier: Apache-2.0

/// What one client did in one scenario: medians over its runs, and their ratios to the baseline's. Nil where there is
/// nothing to tell, because no request succeeded or the baseline was not measured.
struct Row: Encodable {
    let scenario: Scenario
    let client: Peer
    let cpuMicrosecondsPerRequest: Double?
    let requestsPerSecond: Double?
    let p50Microseconds: Double?
    let p90Microseconds: Double?
    let p99Microseconds: Double?
    let residentBytes: Double?
    /// The sum over all runs.
    let errors: UInt64
    var cpuRatio: Double?
    var throughputRatio: Double?
    let runs: [Measurement]

    init(_ scenario: Scenario, _ client: Peer, _ runs: [Measurement]) {
        self.scenario = scenario
        self.client = client
        self.runs = runs
        let fruitful = runs.filter { $0.requests > 0 }
        cpuMicrosecondsPerRequest = Self.median(fruitful.map(\.cpuMicrosecondsPerRequest))
        requestsPerSecond = Self.median(fruitful.map(\.requestsPerSecond))
        p50Microseconds = Self.median(fruitful.map(\.p50Microseconds))
        p90Microseconds = Self.median(fruitful.map(\.p90Microseconds))
        p99Microseconds = Self.median(fruitful.map(\.p99Microseconds))
        residentBytes = Self.median(runs.compactMap(\.residentBytes).map(Double.init))
        errors = runs.reduce(0) { $0 + $1.errors }
    }

    mutating func compare(with baseline: Row) {
        cpuRatio = Self.ratio(cpuMicrosecondsPerRequest, baseline.cpuMicrosecondsPerRequest)
        throughputRatio = Self.ratio(requestsPerSecond, baseline.requestsPerSecond)
    }

    private static func ratio(_ figure: Double?, _ baseline: Double?) -> Double? {
        guard let figure, let baseline, baseline > 0 else { return nil }
        return figure / baseline
    }

    private static func median(_ figures: [Double]) -> Double? {
        guard !figures.isEmpty else { return nil }
        let sorted = figures.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
