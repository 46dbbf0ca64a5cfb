// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A report about transfers for the eye: Markdown tables, the goals last.
struct TransferTable {
    private let report: TransferReport

    init(_ report: TransferReport) { self.report = report }

    var text: String {
        let parts = [header] + scenarios.map(section) + [report.goals.section, footer]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private var scenarios: [TransferScenario] {
        TransferScenario.all.filter { scenario in report.rows.contains { $0.scenario == scenario } }
    }

    private var header: String {
        let machine = report.machine
        return """
            \(machine.processorCount) × \(machine.processor), Linux \(machine.kernel); median of \(report.rounds) round\(report.rounds == 1 ? "" : "s") \
            of \(report.secondsPerRun.formatted()) s, of 1 GB of one body each, ratios to clients of the same round. Loopback, nginx with \
            one worker, files in the page cache; libcurl \(CurlMultiClient.version ?? "–") with buffers of 512 KB. A MB has 1,048,576 bytes; \
            GB/s and CPU per GB count 10⁹ decoded bytes. Memory is what the transfer adds at its peak to a process whose client has fetched two \
            bytes, the command's all it has. Messages come from a server in C, which echoes them or sends a file.\(coded)
            """
    }

    private var coded: String {
        let shares = scenarios.compactMap { scenario in
            scenario.coding.flatMap { coding in
                report.codedSizes[coding].map {
                    "\(Markdown.figure(Double(scenario.size) / Double($0))) times as long as in \(coding)"
                }
            }
        }
        return shares.isEmpty ? "" : " The text is \(shares.joined(separator: ", "))."
    }

    private func section(_ scenario: TransferScenario) -> String {
        let rows = report.rows.filter { $0.scenario == scenario }
        let lines = scenario.countsEach ? rows.map(eachLine) : rows.map { bodyLine($0, scenario) }
        let ratio = "× \(scenario.baseline.title)"
        let head =
            scenario.countsEach
            ? ["client", "p50 µs", "p99 µs", "CPU µs each", ratio, "peak MB", "errors"]
            : ["client", "CPU ms/GB", ratio] + (scenario.coding != nil ? ["× (library + not decoding)"] : [])
                + ["GB/s", "peak MB", "errors"]
        return "**\(scenario.title)**\n\n" + Markdown.table([head] + lines)
    }

    private func bodyLine(_ row: TransferRow, _ scenario: TransferScenario) -> [String] {
        let ratios = [row.cpuRatio] + (scenario.coding != nil ? [row.cpuRatioToParts] : [])
        return line(row, [row.cpuMilliseconds] + ratios + [row.gigabytesPerSecond])
    }

    private func eachLine(_ row: TransferRow) -> [String] {
        let cpu = row.cpuMilliseconds.map { $0 * 1e3 }
        return line(row, [row.p50Microseconds, row.p99Microseconds, cpu, row.cpuRatio])
    }

    private func line(_ row: TransferRow, _ figures: [Double?]) -> [String] {
        let memory = row.peakMemory.map { Double($0) / Double(1 << 20) }
        return [row.client.title] + (figures + [memory]).map(Markdown.figure) + [String(row.errors)]
    }

    private var footer: String {
        (report.skipped.map { "skipped: \($0)" } + report.failures.map { "failed: \($0)" }).joined(separator: "\n")
    }
}
