// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// `tern trust`: evaluates a pinning policy before it is deployed.
struct TrustCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Read pins, and test trust policies without a network or against a server.",
        subcommands: [TrustPinsCommand.self, TrustEvaluateCommand.self, TrustExplainCommand.self])
}
