// SPDX-License-Identifier: Apache-2.0

/// The result of one client in one scenario: medians over its runs, and their ratios to others' in the same scenario.
/// Nil without a result.
struct HandshakeRow: Encodable {
    let scenario: HandshakeScenario
    let client: HandshakeClient
    let cpuMicroseconds: Double?
    let perSecond: Double?
    /// Failed requests, and handshakes of the wrong kind; the sum over all runs.
    let errors: UInt64
    var cpuRatioToCurl: Double?
    var cpuRatioToOpenSSL: Double?
    var rateRatioToCurl: Double?
    let runs: [Measurement]

    init(_ scenario: HandshakeScenario, _ client: HandshakeClient, _ runs: [Measurement]) {
        self.scenario = scenario
        self.client = client
        self.runs = runs
        let fruitful = runs.filter { $0.requests > 0 }
        cpuMicroseconds = fruitful.map(\.cpuMicrosecondsPerRequest).median
        perSecond = fruitful.map(\.requestsPerSecond).median
        errors = runs.reduce(0) { $0 + $1.errors }
    }

    /// Adds the ratios. They are the medians of each round's own, because the machine's pace changes between rounds
    /// more than within one.
    mutating func compare(with others: [HandshakeRow]) {
        let curl = others.first { $0.client == .curlMulti }?.runs ?? []
        let openSSL = others.first { $0.client == .openSSL }?.runs ?? []
        cpuRatioToCurl = runs.ratio(to: [curl], \.cpuMicrosecondsPerRequest)
        cpuRatioToOpenSSL = runs.ratio(to: [openSSL], \.cpuMicrosecondsPerRequest)
        rateRatioToCurl = runs.ratio(to: [curl], \.requestsPerSecond)
    }
}
