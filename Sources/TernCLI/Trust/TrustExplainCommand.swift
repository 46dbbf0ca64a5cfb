// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Tern

/// `tern trust explain`: the verdict, for people.
struct TrustExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say why a server is accepted or refused, certificate by certificate, and what to do about it.",
        discussion: "Exit codes as for evaluate: 0 accepted, 1 refused, 2 wrong usage.")

    @OptionGroup var question: TrustQuestion

    func run() async throws {
        let result = try await question.answer()
        try StandardStreams.print(Explanation(result).text)
        if !result.isAccepted { throw ExitCode(1) }
    }
}
