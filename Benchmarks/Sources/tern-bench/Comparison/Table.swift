// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A report for the eye: one Markdown table per scenario.
struct Table {
    private let report: Report

    init(_ report: Report) { self.report = report }

    var text: String {
        var scenarios: [Scenario] = []
        for entry in report.entries where !scenarios.contains(entry.scenario) { scenarios.append(entry.scenario) }
        return ([header] + scenarios.map(section) + [footer]).joined(separator: "\n\n")
    }

    private var header: String {
        let machine = report.machine
        return """
            \(machine.processorCount) × \(machine.processor), Linux \(machine.kernel); median of \(report.rounds) round\(report.rounds == 1 ? "" : "s") \
            of \(report.secondsPerRun.formatted()) s
            """
    }

    private var footer: String {
        (report.skipped.map { "skipped: \($0)" } + report.failures.map { "failed: \($0)" }).joined(separator: "\n")
    }

    private func section(_ scenario: Scenario) -> String {
        let baseline = report.baseline(of: scenario)
        let ratio = "× \(scenario.baseline.rawValue)"
        var rows = [
            ["client", "CPU µs/request", ratio, "requests/s", ratio, "p50 µs", "p99 µs", "peak RSS MB", "errors"]
        ]
        for entry in report.entries where entry.scenario == scenario {
            rows.append([
                entry.peer.title,
                Self.figure(entry.cpuMicrosecondsPerRequest),
                Self.ratio(entry.cpuMicrosecondsPerRequest, baseline?.cpuMicrosecondsPerRequest),
                Self.figure(entry.requestsPerSecond),
                Self.ratio(entry.requestsPerSecond, baseline?.requestsPerSecond),
                Self.figure(entry.median(\.p50Microseconds)),
                Self.figure(entry.median(\.p99Microseconds)),
                Self.figure(entry.median { $0.peakResidentBytes.map { Double($0) / 1e6 } ?? .nan }),
                String(entry.errors),
            ])
        }
        return "**\(scenario.title)**\n\n" + Self.markdown(rows)
    }

    /// Three figures, never an exponent.
    private static func figure(_ value: Double) -> String {
        if value.isNaN { return "–" }
        return String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
    }

    private static func ratio(_ value: Double, _ baseline: Double?) -> String {
        guard let baseline, baseline > 0 else { return "–" }
        return figure(value / baseline)
    }

    private static func markdown(_ rows: [[String]]) -> String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            "| " + row.indices.map { pad(row[$0], to: widths[$0], left: $0 > 0) }.joined(separator: " | ") + " |"
        }
        let rule =
            "|"
            + widths.indices.map { String(repeating: "-", count: widths[$0] + 1) + ($0 > 0 ? ":" : "-") }
            .joined(separator: "|") + "|"
        return ([lines[0], rule] + lines.dropFirst()).joined(separator: "\n")
    }

    private static func pad(_ text: String, to width: Int, left: Bool) -> String {
        let blanks = String(repeating: " ", count: max(0, width - text.count))
        return left ? blanks + text : text + blanks
    }
}
