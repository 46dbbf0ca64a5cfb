// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Those figures of a comparison that a picture shows: of one that has just ended, or of one that `--json` has written.
struct RecordedRun: Codable {
    struct Row: Codable {
        let scenario: Scenario
        let client: Peer
        let cpuRatio: Double?
    }

    let machine: Machine
    let rounds: Int
    private(set) var rows: [Row]

    init(_ report: Report) {
        machine = report.machine
        rounds = report.rounds
        rows = report.rows.map { Row(scenario: $0.scenario, client: $0.client, cpuRatio: $0.cpuRatio) }
    }

    init(file: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
    }

    /// The same with those scenarios alone whose names contain one of `names`.
    func only(_ names: [String]) -> RecordedRun {
        var run = self
        run.rows = rows.filter { row in names.contains { row.scenario.name.contains($0) } }
        return run
    }

    /// In the order of the rows.
    var scenarios: [Scenario] {
        var scenarios: [Scenario] = []
        for row in rows where !scenarios.contains(row.scenario) { scenarios.append(row.scenario) }
        return scenarios
    }
}
