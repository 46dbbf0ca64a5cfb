// SPDX-License-Identifier: Apache-2.0

/// What one client did in one scenario: medians over its runs, and their ratios to others' in the same scenario. Nil where
/// there is nothing to tell.
struct TransferRow: Encodable {
    let scenario: TransferScenario
    let client: TransferClient
    /// For each body.
    let cpuMilliseconds: Double?
    /// Of bodies, decoded.
    let megabytesPerSecond: Double?
    /// The sum over all runs.
    let errors: UInt64
    var cpuRatioToCurl: Double?
    /// For one that decodes: to zlib's own time and that of the same download without decoding.
    var cpuRatioToParts: Double?
    let runs: [Measurement]

    init(_ scenario: TransferScenario, _ client: TransferClient, _ runs: [Measurement]) {
        self.scenario = scenario
        self.client = client
        self.runs = runs
        let fruitful = runs.filter { $0.requests > 0 }
        cpuMilliseconds = fruitful.map { $0.cpuMicrosecondsPerRequest / 1e3 }.median
        megabytesPerSecond = fruitful.map { $0.requestsPerSecond * Double(scenario.size) / 1e6 }.median
        errors = runs.reduce(0) { $0 + $1.errors }
    }

    /// Adds the ratios. They are the medians of each round's own, because the machine's pace changes between rounds more
    /// than within one.
    mutating func compare(with others: [TransferRow]) {
        func runs(_ client: TransferClient) -> [Measurement] { others.first { $0.client == client }?.runs ?? [] }
        cpuRatioToCurl = self.runs.ratio(to: [runs(.curlMulti)], \.cpuMicrosecondsPerRequest)
        if scenario == .decoding, let undecoding = client.undecoding {
            cpuRatioToParts = self.runs.ratio(
                to: [runs(.zlib), runs(undecoding)], \.cpuMicrosecondsPerRequest)
        }
    }
}
