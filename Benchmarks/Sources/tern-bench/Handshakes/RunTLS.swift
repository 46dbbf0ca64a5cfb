// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation

/// What TLS costs, and whether that is what it should.
struct RunTLS: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tls",
        abstract:
            "Measures handshakes, requests over TLS, trust policies and contexts, and compares them with the goals.")

    @Flag(help: "Short rounds: under two minutes, and noisier.") var quick = false
    @Option(help: "How many rounds; medians are taken over them.") var rounds: Int?
    @Option(help: "How long each client runs in a round, in seconds, after warming up.") var seconds: Double?
    @Option(help: "Also write all figures to this file, as JSON.") var json: String?

    func run() async throws {
        let rounds = rounds ?? (quick ? 3 : 5)
        let seconds = seconds ?? (quick ? 0.4 : 2)
        let warmUpSeconds = quick ? 0.1 : 0.5
        // First, while the process has no other threads and no session.
        Progress.note("contexts and policies")
        let contexts = try await ContextCost.measure(sessions: 100)
        let policies = try PolicyRates().measure(rounds: rounds, seconds: quick ? 0.05 : 0.3)
        let handshakes = try HandshakeComparison(rounds: rounds, warmUpSeconds: warmUpSeconds, seconds: seconds).run()
        let requests = try Comparison(
            rounds: rounds, warmUpSeconds: warmUpSeconds, seconds: seconds,
            clients: [.wrk, .ternReactor, .ternDelegate, .curlMulti, .asyncHTTPClientFutures],
            scenarios: Scenario.all.filter { $0.scheme == .https && !$0.isExtra }
        ).run()
        let report = TLSReport(
            rounds: rounds, secondsPerRun: seconds, handshakes: handshakes, requests: requests, policies: policies,
            contexts: contexts)
        print(TLSTable(report).text)
        if let json { try report.json().write(to: URL(fileURLWithPath: json)) }
    }
}
