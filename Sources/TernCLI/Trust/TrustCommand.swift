// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// `tern trust`: what a pinning policy would do, before it does it.
struct TrustCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Read pins, and test trust policies without a network or against a server.",
        subcommands: [TrustPinsCommand.self, TrustEvaluateCommand.self, TrustExplainCommand.self])
}
