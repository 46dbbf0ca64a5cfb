// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A report for the eye: one Markdown table per scenario.
struct Table {
    private let report: Report

    init(_ report: Report) { self.report = report }

    var text: String {
        var scenarios: [Scenario] = []
        for row in report.rows where !scenarios.contains(row.scenario) { scenarios.append(row.scenario) }
        let parts = [header] + scenarios.map(section) + [report.goals.section, footer]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private var header: String {
        let machine = report.machine
        return """
            \(machine.processorCount) × \(machine.processor), Linux \(machine.kernel); median of \(report.rounds) round\(report.rounds == 1 ? "" : "s") \
            of \(report.secondsPerRun.formatted()) s, ratios to clients of the same round. RSS is what the client added to an idle process, for programs of their own all of it. \
            The spread is from the cheapest round to the dearest. \(load)
            """
    }

    private var load: String {
        let shares = [report.load.before, report.load.after].map { String(format: "%.0f%%", $0 * 100) }
        let text = "Others used \(shares[0]) of the processors before the run, and \(shares[1]) after it"
        return text + (report.load.isHigh ? ": TOO MUCH FOR A VERDICT." : ".")
    }

    private var footer: String {
        (report.skipped.map { "skipped: \($0)" } + report.failures.map { "failed: \($0)" }).joined(separator: "\n")
    }

    private func section(_ scenario: Scenario) -> String {
        let ratio = "× \(scenario.baseline.rawValue)"
        var lines = [
            [
                "client", "CPU µs/request", "spread %", ratio, "requests/s", ratio, "p50 µs", "p99 µs", "RSS MB",
                "errors",
            ]
        ]
        for row in report.rows where row.scenario == scenario {
            let figures = [
                row.cpuMicrosecondsPerRequest, row.cpuSpread.map { $0 * 100 }, row.cpuRatio, row.requestsPerSecond,
                row.throughputRatio,
                row.p50Microseconds, row.p99Microseconds, row.residentBytes.map { $0 / 1e6 },
            ]
            lines.append([row.client.title] + figures.map(Markdown.figure) + [String(row.errors)])
        }
        return "**\(scenario.title)**\n\n" + Markdown.table(lines)
    }
}
