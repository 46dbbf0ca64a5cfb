// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// All figures about the transfer of large bodies.
struct TransferReport: JSONReport {
    let machine = Machine.current
    let date: Date
    let rounds: Int
    let secondsPerRun: Double
    /// The coded sizes of the text that is decoded, in bytes.
    let codedSizes: [ContentCoding: Int]
    let rows: [TransferRow]
    let goals: [Goal]
    let skipped: [String]
    let failures: [String]

    init(rounds: Int, secondsPerRun: Double, _ result: TransferComparison.Result) {
        date = Date()
        self.rounds = rounds
        self.secondsPerRun = secondsPerRun
        codedSizes = result.codedSizes
        rows = result.rows
        skipped = result.skipped
        failures = result.failures
        goals = result.rows.filter(\.client.hasGoals).flatMap(Self.goals)
    }

    /// What is wanted of a row. One with errors reaches nothing.
    private static func goals(_ row: TransferRow) -> [Goal] {
        func figure(_ figure: Double?) -> Double? { row.errors == 0 ? figure : nil }
        let text = "\(row.scenario.title), \(row.client.title)"
        if row.scenario.way == .events {
            return [Goal("\(text): median µs to the consumer", figure(row.p50Microseconds), atMost: 1000)]
        }
        // With async they have the whole message, which no download has.
        if row.scenario.way == .message, row.client != .ternReceiver { return [] }
        let baseline = row.scenario.baseline
        let cpu =
            row.scenario.coding != nil
            ? Goal("\(text): CPU × (library + not decoding)", figure(row.cpuRatioToParts), atMost: 1.1)
            : Goal("\(text): CPU × \(baseline.title)", figure(row.cpuRatio), atMost: baseline.limit)
        guard row.scenario.isFlat else { return [cpu] }
        let memory = row.peakMemory.map { Double($0) / Double(1 << 20) }
        return [cpu, Goal("\(text): peak memory above idle, MB", figure(memory), atMost: 8)]
    }
}
