// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// Measures Tern beside its peers.
@main
struct TernBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tern-bench",
        abstract: "Measures Tern beside its peers, on this machine.",
        subcommands: [
            RunComparison.self, DrawPictures.self, RunTLS.self, RunTransfers.self, RunParsing.self, RunClient.self,
            RunIdle.self,
        ],
        defaultSubcommand: RunComparison.self)
}
