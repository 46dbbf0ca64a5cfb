// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A report about TLS for the eye: Markdown tables, the goals last.
struct TLSTable {
    private let report: TLSReport

    init(_ report: TLSReport) { self.report = report }

    var text: String {
        let parts =
            [header] + HandshakeScenario.all.map(handshakes) + requestScenarios.map(requests)
            + [policies, contexts, report.goals.section, footer]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private var header: String {
        let machine = report.machine
        return """
            \(machine.processorCount) × \(machine.processor), Linux \(machine.kernel); median of \(report.rounds) round\(report.rounds == 1 ? "" : "s") \
            of \(report.secondsPerRun.formatted()) s, ratios to clients of the same round. TLS 1.3, TLS_AES_256_GCM_SHA384, X25519, \
            a P-256 leaf below a P-256 intermediate. A handshake is all of a connection: connect, shake hands, one GET of two \
            bytes, close.
            """
    }

    private func handshakes(_ scenario: HandshakeScenario) -> String {
        var lines = [["client", "CPU µs/handshake", "× libcurl", "× s_time", "handshakes/s", "× libcurl", "errors"]]
        for row in report.handshakes where row.scenario == scenario {
            let figures = [
                row.cpuMicroseconds, row.cpuRatioToCurl, row.cpuRatioToOpenSSL, row.perSecond, row.rateRatioToCurl,
            ]
            lines.append([row.client.title] + figures.map(Markdown.figure) + [String(row.errors)])
        }
        return section(scenario.title, lines)
    }

    private var requestScenarios: [Scenario] {
        report.requests.map(\.scenario).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private func requests(_ scenario: Scenario) -> String {
        let ratio = "× \(scenario.baseline.rawValue)"
        let isLarge = scenario.body == .large
        var lines = [
            isLarge
                ? ["client", "CPU ms/GB", ratio, "MB/s", ratio, "errors"]
                : ["client", "CPU µs/request", ratio, "requests/s", ratio, "errors"]
        ]
        let size = Double(scenario.body.size)
        for row in report.requests where row.scenario == scenario {
            let cost = row.cpuMicrosecondsPerRequest.map { isLarge ? $0 / 1e3 * (1e9 / size) : $0 }
            let rate = row.requestsPerSecond.map { isLarge ? $0 * size / 1e6 : $0 }
            let figures = [cost, row.cpuRatio, rate, row.throughputRatio]
            lines.append([row.client.title] + figures.map(Markdown.figure) + [String(row.errors)])
        }
        return section(scenario.title, lines)
    }

    private var policies: String {
        let lines = report.policies.map {
            [$0.policy, Markdown.figure($0.evaluationsPerSecond), Markdown.figure($0.microseconds)]
        }
        return section("policies, offline", [["policy", "evaluations/s", "µs"]] + lines)
    }

    private var contexts: String {
        section(
            "TLS contexts",
            [
                ["session", "CPU ms"], ["first in the process", Markdown.figure(report.contexts.firstMilliseconds)],
                ["any other", Markdown.figure(report.contexts.furtherMilliseconds)],
            ])
    }

    private var footer: String {
        (report.skipped.map { "skipped: \($0)" } + report.failures.map { "failed: \($0)" }).joined(separator: "\n")
    }

    private func section(_ title: String, _ lines: [[String]]) -> String {
        lines.count > 1 ? "**\(title)**\n\n" + Markdown.table(lines) : ""
    }
}
