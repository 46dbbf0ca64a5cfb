// SPDX-License-Identifier: Apache-2.0
import Foundation

/// How the figures look: two lines per path.
enum Table {
    static func write(_ line: String) { try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8)) }

    static let header = join(["per request", "", "measured", "limit", "verdict"])

    static func lines(_ costs: Costs, _ row: Thresholds.Row, _ verdicts: [Verdict]) -> String {
        let figures = [
            ("allocations", String(format: "%.2f", costs.allocations), row.allocations),
            ("instructions", String(format: "%.0f", costs.instructions), row.instructionLimit),
        ]
        return zip(figures, verdicts).map { figure, verdict in
            join([costs.path.title, figure.0, figure.1, String(figure.2), verdict.rawValue])
        }
        .joined(separator: "\n")
    }

    private static func join(_ cells: [String]) -> String {
        zip(cells, [49, 14, 10, 8, 0]).map { cell, width in
            cell.padding(toLength: max(width, cell.count), withPad: " ", startingAt: 0)
        }
        .joined()
    }
}
