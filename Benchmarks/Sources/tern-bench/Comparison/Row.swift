// SPDX-License-Identifier: Apache-2.0

/// The result of one client in one scenario: medians over its runs, and of each round's own ratio to the baseline. Nil
/// if no request succeeded or the baseline was not measured.
struct Row: Encodable {
    let scenario: Scenario
    let client: Peer
    let cpuMicrosecondsPerRequest: Double?
    /// How far the dearest round lies above the cheapest, as a share of it.
    let cpuSpread: Double?
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
        cpuMicrosecondsPerRequest = fruitful.map(\.cpuMicrosecondsPerRequest).median
        let costs = fruitful.map(\.cpuMicrosecondsPerRequest)
        cpuSpread = costs.max().ratio(to: costs.min()).map { $0 - 1 }
        requestsPerSecond = fruitful.map(\.requestsPerSecond).median
        p50Microseconds = fruitful.map(\.p50Microseconds).median
        p90Microseconds = fruitful.map(\.p90Microseconds).median
        p99Microseconds = fruitful.map(\.p99Microseconds).median
        residentBytes = runs.compactMap(\.residentBytes).map(Double.init).median
        errors = runs.reduce(0) { $0 + $1.errors }
    }

    mutating func compare(with baseline: Row) {
        cpuRatio = runs.ratio(to: [baseline.runs], \.cpuMicrosecondsPerRequest)
        throughputRatio = runs.ratio(to: [baseline.runs], \.requestsPerSecond)
    }
}
