// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation

/// What it costs to send and to receive much, and whether that is what it should.
struct RunTransfers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer",
        abstract:
            "Measures uploads, downloads, forms, files and decoding of large bodies, events and messages, and compares them with the goals."
    )

    @Flag(help: "Short rounds, without 1 GB: a minute or two, and noisier.") var quick = false
    @Option(help: "How many rounds; medians are taken over them.") var rounds: Int?
    @Option(help: "How long each client runs in a round, in seconds, after warming up.") var seconds: Double?
    @Option(parsing: .upToNextOption, help: "Only scenarios whose names contain one of these: \(names).")
    var scenarios: [String] = []
    @Option(help: "Also write all figures to this file, as JSON.") var json: String?

    func run() async throws {
        let rounds = rounds ?? (quick ? 2 : 3)
        let seconds = seconds ?? (quick ? 0.3 : 1)
        let comparison = TransferComparison(
            rounds: rounds, warmUpSeconds: quick ? 0.1 : 0.3, seconds: seconds, scenarios: chosenScenarios)
        let report = TransferReport(rounds: rounds, secondsPerRun: seconds, try comparison.run())
        print(TransferTable(report).text)
        if let json { try report.json().write(to: URL(fileURLWithPath: json)) }
    }

    private static let names = TransferScenario.all.map(\.name).joined(separator: ", ")

    private var chosenScenarios: [TransferScenario] {
        if scenarios.isEmpty { return TransferScenario.all.filter { !quick || !$0.isHuge } }
        return TransferScenario.all.filter { scenario in scenarios.contains { scenario.name.contains($0) } }
    }
}
