// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// All figures about the transfer of large bodies.
struct TransferReport: JSONReport {
    let machine = Machine.current
    let date: Date
    let rounds: Int
    let secondsPerRun: Double
    /// The coded size of the text that is decoded, in bytes.
    let codedSize: Int
    let rows: [TransferRow]
    let goals: [Goal]
    let skipped: [String]
    let failures: [String]

    init(rounds: Int, secondsPerRun: Double, _ result: TransferComparison.Result) {
        date = Date()
        self.rounds = rounds
        self.secondsPerRun = secondsPerRun
        codedSize = result.codedSize
        rows = result.rows
        skipped = result.skipped
        failures = result.failures
        goals = result.rows.compactMap(Self.goal)
    }

    /// What is wanted of a row; nil of one that is there to compare with. A row with errors reaches nothing.
    private static func goal(_ row: TransferRow) -> Goal? {
        func figure(_ ratio: Double?) -> Double? { row.errors == 0 ? ratio : nil }
        let text = "\(row.scenario.title), \(row.client.title)"
        switch (row.scenario, row.client) {
        case (_, .curlMulti), (_, .curlDiscarding), (_, .zlib), (_, .ternReactorCoded), (_, .ternDelegateCoded):
            return nil
        case (.decoding, _):
            return Goal("\(text): CPU × (zlib + not decoding)", figure(row.cpuRatioToParts), atMost: 1.1)
        case (_, .ternReactor), (_, .ternDelegate), (_, .ternGlobal):
            return Goal("\(text): CPU × libcurl", figure(row.cpuRatioToCurl), atMost: 1)
        }
    }
}
