// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A report about transfers for the eye: Markdown tables, the goals last.
struct TransferTable {
    private let report: TransferReport

    init(_ report: TransferReport) { self.report = report }

    var text: String {
        let parts = [header] + TransferScenario.allCases.map(section) + [report.goals.section, footer]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private var header: String {
        let machine = report.machine
        return """
            \(machine.processorCount) × \(machine.processor), Linux \(machine.kernel); median of \(report.rounds) round\(report.rounds == 1 ? "" : "s") \
            of \(report.secondsPerRun.formatted()) s, ratios to clients of the same round. Plain http on loopback, nginx with one \
            worker. libcurl \(CurlMultiClient.version ?? "–") with buffers of 512 KB. A MB has 1,048,576 bytes, but in MB/s, which \
            counts decoded bytes.\(coded)
            """
    }

    private var coded: String {
        guard report.codedSize > 0 else { return "" }
        let share = Double(TransferScenario.decoding.size) / Double(report.codedSize)
        return " The text is \(Markdown.figure(share)) times as long as its gzip."
    }

    private func section(_ scenario: TransferScenario) -> String {
        let isDecoding = scenario == .decoding
        let parts = isDecoding ? ["× (zlib + not decoding)"] : []
        var lines = [["client", "CPU ms/body", "× libcurl"] + parts + ["MB/s", "errors"]]
        for row in report.rows where row.scenario == scenario {
            let ratios = [row.cpuRatioToCurl] + (isDecoding ? [row.cpuRatioToParts] : [])
            let figures = [row.cpuMilliseconds] + ratios + [row.megabytesPerSecond]
            lines.append([row.client.title] + figures.map(Markdown.figure) + [String(row.errors)])
        }
        return section(scenario.title, lines)
    }

    private var footer: String {
        (report.skipped.map { "skipped: \($0)" } + report.failures.map { "failed: \($0)" }).joined(separator: "\n")
    }

    private func section(_ title: String, _ lines: [[String]]) -> String {
        lines.count > 1 ? "**\(title)**\n\n" + Markdown.table(lines) : ""
    }
}
