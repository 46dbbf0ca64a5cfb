// SPDX-License-Identifier: Apache-2.0
import Foundation

/// How results look.
enum Table {
    static func write(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    private static let columns = [
        "attack", "connections", "worst ms", "p99 ms", "control worst", "control p99", "ours ms", "grown KB", "ended",
        "verdict",
    ]
    private static let widths = [22, 12, 10, 10, 14, 12, 10, 10, 8, 8]

    static var attackHeader: String { join(columns) }

    static func row(_ report: ScenarioReport, _ delay: Double, _ verdicts: [Verdict]) -> String {
        join([
            report.order.attack.name, "\(report.order.connections)", number(report.neighbour.worst),
            number(report.neighbour.p99), number(report.control.worst), number(report.control.p99), number(delay),
            "\(report.grownKilobytes)", "\(report.ended)", verdicts.allSatisfy(\.isFine) ? "fine" : "FAILS",
        ])
    }

    static func account(of report: StormReport, _ name: String) -> String {
        let (counts, before, after) = (report.counts, report.before, report.after)
        let errors = counts.errors.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return """
            \(name), seed \(report.order.seed), \(report.order.workers) workers, \(number(report.seconds)) s
              requests \(counts.requests), complete \(counts.complete), \(errors.joined(separator: ", "))
              wrong bodies \(counts.wrongBodies), out of order \(counts.disorders), overdue \(counts.hangs), never ended             \(report.lost), latest end \(number(counts.latest)) ms
              answered by strays: \(counts.forgedBefore) that were there before, \(counts.forgedUndecidable) undecidable
              neighbour: worst \(number(report.neighbour.worst)) ms, p99 \(number(report.neighbour.p99)), control: worst             \(number(report.control.worst)), p99 \(number(report.control.p99)), pings \(report.neighbour.count)
              descriptors \(before.descriptors) -> \(after.descriptors), threads \(before.threads) -> \(after.threads), KB             \(before.residentKilobytes) -> \(after.residentKilobytes)
            """
    }

    static func number(_ value: Double) -> String { String(format: "%.1f", value) }

    private static func join(_ cells: [String]) -> String {
        zip(cells, widths).map { cell, width in
            cell.padding(toLength: max(width, cell.count + 1), withPad: " ", startingAt: 0)
        }
        .joined()
    }
}
