// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation

/// The decoder alone, beside a parser written in C.
struct RunParsing: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parse",
        abstract: "Measures Tern's response decoder beside http_parser, on the same bytes, and prints medians.")

    @Flag(help: "Fewer and shorter rounds: about a second, and noisier.") var quick = false
    @Option(help: "How many rounds; medians are taken over them.") var rounds: Int?
    @Option(parsing: .upToNextOption, help: "Only messages whose names contain one of these: nginx, forty, chunks-16 …")
    var messages: [String] = []
    @Option(help: "Also write all figures to this file, as JSON.") var json: String?

    func run() throws {
        AllocationCounter.preload()
        let chosen = ParsedMessage.all.filter { message in
            messages.isEmpty || messages.contains { message.name.contains($0) }
        }
        let comparison = ParsingComparison(
            rounds: max(1, rounds ?? (quick ? 21 : 201)), nanosecondsPerTurn: quick ? 2_000_000 : 5_000_000,
            messages: chosen)
        let report = try comparison.run()
        print(report.text)
        if let json { try report.json().write(to: URL(fileURLWithPath: json)) }
    }
}
