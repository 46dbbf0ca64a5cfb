// SPDX-License-Identifier: Apache-2.0
import Foundation

/// How the figures look: five lines per path.
enum Table {
    static func write(_ line: String) { try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8)) }

    static let header = join(["per request", "", "measured", "limit", "verdict"])

    static func lines(_ costs: Costs, _ row: Thresholds.Row, _ verdicts: [Verdict]) -> String {
        let figures = [
            ("allocations", String(format: "%.2f", costs.allocations), String(row.allocations)),
            ("instructions", String(format: "%.0f", costs.instructions), String(row.instructionLimit)),
            ("references", String(format: "%.2f", costs.referenceOperations), String(row.referenceOperationLimit)),
            ("access checks", String(format: "%.2f", costs.exclusivityChecks), String(row.exclusivityChecks)),
            ("system calls", String(format: "%.2f", costs.systemCalls), String(row.systemCallLimit)),
        ]
        let lines = zip(figures, verdicts).map { figure, verdict in
            join([costs.path.title, figure.0, figure.1, figure.2, verdict.rawValue])
        }
        return (lines + goal(costs)).joined(separator: "\n")
    }

    /// What is wanted of the path beside what it may cost; not reaching it is no failure.
    private static func goal(_ costs: Costs) -> [String] {
        guard let goal = costs.path.goal else { return [] }
        let verdict = costs.instructions <= Double(goal) ? "holds" : "does not hold"
        return [join(["", "goal", String(format: "%.0f", costs.instructions), String(goal), verdict])]
    }

    private static func join(_ cells: [String]) -> String {
        zip(cells, [49, 14, 10, 8, 0]).map { cell, width in
            cell.padding(toLength: max(width, cell.count), withPad: " ", startingAt: 0)
        }
        .joined()
    }
}
