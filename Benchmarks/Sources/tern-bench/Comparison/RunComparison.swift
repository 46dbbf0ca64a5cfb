// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation

/// The table: every client in every scenario.
struct RunComparison: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Measures every client in every scenario, in interleaved rounds, and prints medians.")

    @Flag(help: "Short rounds, without 1 KB and 1,000 connections: under two minutes, and noisier.") var quick = false
    @Option(help: "How many rounds; medians are taken over them.") var rounds: Int?
    @Option(help: "How long each client runs in a round, in seconds, after warming up.") var seconds: Double?
    @Option(parsing: .upToNextOption, help: "Only these clients: \(Peer.names).") var clients: [Peer] = []
    @Option(parsing: .upToNextOption, help: "Only scenarios whose names contain one of these: http-, small, -64 …")
    var scenarios: [String] = []
    @Option(help: "The command tern, whose start is measured as well.") var command: String?
    @Option(help: "Also write all figures to this file, as JSON.") var json: String?
    @Option(help: "Also draw them to this file, as SVG.") var svg: String?

    func run() async throws {
        let rounds = rounds ?? (quick ? 3 : 5)
        let seconds = seconds ?? (quick ? 0.3 : 2)
        var comparison = Comparison(
            rounds: rounds, warmUpSeconds: quick ? 0.1 : 0.5, seconds: seconds,
            clients: clients.isEmpty ? Peer.clients : clients, scenarios: chosenScenarios)
        if isWhole {
            comparison.further = FurtherGoals(
                rounds: rounds, warmUpSeconds: 0.3, seconds: min(1, seconds), command: command)
        }
        let report = try comparison.run()
        print(Table(report).text)
        if let json { try report.json().write(to: URL(fileURLWithPath: json)) }
        if let svg { try Data(Plot(RecordedRun(report), of: Plot.all).svg.utf8).write(to: URL(fileURLWithPath: svg)) }
    }

    /// Whether all there is to measure is asked for.
    private var isWhole: Bool { !quick && clients.isEmpty && scenarios.isEmpty }

    private var chosenScenarios: [Scenario] {
        if scenarios.isEmpty { return Scenario.all.filter { !quick || !$0.isExtra } }
        return Scenario.all.filter { scenario in scenarios.contains { scenario.name.contains($0) } }
    }
}

extension Peer {
    static var names: String { clients.map(\.rawValue).joined(separator: ", ") }
}
