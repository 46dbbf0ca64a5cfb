// SPDX-License-Identifier: Apache-2.0
import Foundation

/// How results look.
enum Table {
    static func write(_ line: String) { try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8)) }

    private static let columns = [
        "attack", "connections", "worst ms", "p99", "control worst", "control p99", "work", "ours", "grown KB",
        "verdict", "requests ended",
    ]
    private static let widths = [22, 12, 10, 10, 14, 12, 10, 10, 10, 8, 0]

    static var attackHeader: String {
        """
        worst, p99: what a neighbour's ping took, in ms; control: the same from a process that the attack cannot reach;
        work: processor time of the reactor in one ping; ours: what is judged, free of what the machine did; grown: memory;
        fine?: so, but the machine was busy, and the attacker had less of it than it takes
        \(join(columns))
        """
    }

    static func row(_ report: ScenarioReport, _ delay: Double, _ verdicts: [Verdict], isSure: Bool) -> String {
        join([
            report.order.attack.name, "\(report.order.connections)", number(report.neighbour.worst),
            number(report.neighbour.p99), number(report.control.worst), number(report.control.p99),
            number(report.neighbour.work), number(delay),
            "\(report.grownKilobytes)", verdict(verdicts, isSure: isSure), list(report.endings),
        ])
    }

    private static func verdict(_ verdicts: [Verdict], isSure: Bool) -> String {
        verdicts.allSatisfy(\.isFine) ? isSure ? "fine" : "fine?" : "FAILS"
    }

    private static func list(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    static func account(of report: StormReport, _ name: String) -> String {
        let (counts, before, after) = (report.counts, report.before, report.after)
        return """
            \(name), seed \(report.order.seed), \(report.order.workers) workers, \(number(report.seconds)) s
              requests \(counts.requests), complete \(counts.complete), \(list(counts.errors))
              wrong bodies \(counts.wrongBodies), out of order \(counts.disorders), overdue \(counts.hangs), never ended             \(report.lost), latest end \(number(counts.latest)) ms
              answered by strays: \(counts.forgedBefore) that were there before, \(counts.forgedUndecidable) undecidable
              neighbour: worst \(number(report.neighbour.worst)) ms, p99 \(number(report.neighbour.p99)), work \(number(report.neighbour.work)), control: worst             \(number(report.control.worst)), p99 \(number(report.control.p99)), pings \(report.neighbour.count)
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
