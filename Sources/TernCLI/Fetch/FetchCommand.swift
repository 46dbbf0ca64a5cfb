// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Tern

/// A command that sends requests: they differ in the method, and share everything else.
protocol FetchCommand: AsyncParsableCommand {
    /// The method it stands for; nil leaves it to the options.
    static var method: String? { get }
    var options: FetchOptions { get set }
}

extension FetchCommand {
    func run() async throws {
        let choice = try MethodChoice(command: Self.method, options.content)
        let targets = try options.targets()
        var planner = FetchPlanner(options: options, choice: choice, configuration: try options.configuration())
        let plans = try planner.plans(targets)
        let session = Session(
            configuration: planner.configuration,
            serverTrustPolicyManager: try options.trust.policiesForEveryHost())
        let fetcher = Fetcher(
            options: options, session: session, configuration: planner.configuration,
            writeOut: try options.output.writeOut.map(WriteOut.init(argument:)),
            heads: try options.output.headDump())
        var isWhole = true
        for plan in plans where try await !fetcher.fetch(plan) { isWhole = false }
        try fetcher.finish()
        if !isWhole { throw ExitCode(1) }
    }
}
