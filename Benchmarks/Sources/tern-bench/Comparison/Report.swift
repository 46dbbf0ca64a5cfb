// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// All figures of a comparison.
struct Report: Encodable {
    /// What one client did in one scenario.
    struct Entry: Encodable {
        let scenario: Scenario
        let peer: Peer
        var runs: [Measurement]

        var cpuMicrosecondsPerRequest: Double { median(\.cpuMicrosecondsPerRequest) }
        var requestsPerSecond: Double { median(\.requestsPerSecond) }
        var errors: UInt64 { runs.reduce(0) { $0 + $1.errors } }

        func median(_ figure: (Measurement) -> Double) -> Double {
            let sorted = runs.map(figure).filter { !$0.isNaN }.sorted()
            guard !sorted.isEmpty else { return .nan }
            let middle = sorted.count / 2
            return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
        }
    }

    let machine = Machine.current
    let date = Date()
    let rounds: Int
    let secondsPerRun: Double
    private(set) var entries: [Entry] = []
    /// Peers that could not be measured, and why.
    var skipped: [String] = []
    /// Runs that failed.
    var failures: [String] = []

    init(rounds: Int, secondsPerRun: Double) {
        self.rounds = rounds
        self.secondsPerRun = secondsPerRun
    }

    mutating func add(_ run: Measurement, of peer: Peer, in scenario: Scenario) {
        if let index = entries.firstIndex(where: { $0.peer == peer && $0.scenario == scenario }) {
            entries[index].runs.append(run)
        } else {
            entries.append(Entry(scenario: scenario, peer: peer, runs: [run]))
        }
    }

    /// The entry that others of the scenario are compared with.
    func baseline(of scenario: Scenario) -> Entry? {
        entries.first { $0.scenario == scenario && $0.peer == scenario.baseline }
    }

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        encoder.dateEncodingStrategy = .iso8601
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try encoder.encode(self)
    }
}
