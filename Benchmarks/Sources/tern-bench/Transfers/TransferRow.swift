// SPDX-License-Identifier: Apache-2.0

/// The result of one client in one scenario: medians over its runs, and their ratios to others' in the same scenario.
/// Nil without a result.
struct TransferRow: Encodable {
    let scenario: TransferScenario
    let client: TransferClient
    /// For 10⁹ bytes of bodies, decoded; where each event or message counts, for that.
    let cpuMilliseconds: Double?
    /// Of bodies, decoded. In a scenario that counts each event or message: how many per second.
    let gigabytesPerSecond: Double?
    /// What the client adds to the largest resident set of its process, in bytes, in the worst of the runs; of the
    /// command, all it is.
    let peakMemory: Int?
    /// From when an event was sent to when its consumer had it; of anything else, for each body, or message.
    let p50Microseconds: Double?
    let p99Microseconds: Double?
    /// The sum over all runs.
    let errors: UInt64
    /// To the scenario's baseline.
    var cpuRatio: Double?
    /// For one that decodes: to the library's own time and that of the same download without decoding.
    var cpuRatioToParts: Double?
    let runs: [Measurement]

    init(_ scenario: TransferScenario, _ client: TransferClient, _ runs: [Measurement]) {
        self.scenario = scenario
        self.client = client
        self.runs = runs
        let fruitful = runs.filter { $0.requests > 0 }
        let gigabytes = scenario.countsEach ? 1 : Double(scenario.size) / 1e9
        cpuMilliseconds = fruitful.map { $0.cpuMicrosecondsPerRequest / 1e3 / gigabytes }.median
        gigabytesPerSecond = fruitful.map { $0.requestsPerSecond * gigabytes }.median
        peakMemory = runs.compactMap(\.residentBytes).max()
        p50Microseconds = fruitful.map(\.p50Microseconds).median
        p99Microseconds = fruitful.map(\.p99Microseconds).median
        errors = runs.reduce(0) { $0 + $1.errors }
    }

    /// Adds the ratios. They are the medians of each round's own, because the machine's pace changes between rounds
    /// more than within one.
    mutating func compare(with others: [TransferRow]) {
        func runs(_ client: TransferClient) -> [Measurement] { others.first { $0.client == client }?.runs ?? [] }
        cpuRatio = self.runs.ratio(to: [runs(scenario.baseline.client)], \.cpuMicrosecondsPerRequest)
        if scenario.coding != nil, let undecoding = client.undecoding {
            cpuRatioToParts = self.runs.ratio(
                to: [runs(.library), runs(undecoding)], \.cpuMicrosecondsPerRequest)
        }
    }
}
