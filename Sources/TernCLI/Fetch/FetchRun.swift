// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Tern

/// What a command that sends requests does, from its options to its end.
struct FetchRun {
    /// The method the command stands for; nil leaves it to the options.
    let method: String?
    let options: FetchOptions
    /// Whether it is told how far the content has been sent, in place of the answer.
    var showsUpload = false

    func run() async throws {
        let choice = try MethodChoice(command: method, options.content)
        let targets = try options.targets()
        var planner = FetchPlanner(options: options, choice: choice, configuration: try options.configuration())
        let plans = try planner.plans(targets)
        let session = Session(
            configuration: planner.configuration,
            serverTrustPolicyManager: try options.trust.policiesForEveryHost())
        let fetcher = Fetcher(
            options: options, session: session, configuration: planner.configuration,
            writeOut: try options.output.writeOut.map(WriteOut.init(argument:)),
            heads: try options.output.headDump(),
            showsUpload: showsUpload || !options.content.uploads.isEmpty && plans.allSatisfy { ($0.path ?? "-") != "-" }
        )
        var last = ExitStatus.success
        for plan in plans {
            let status = try await fetcher.fetch(plan)
            if status != .success { last = status }
        }
        try fetcher.finish()
        if last != .success { throw ExitCode(last.rawValue) }
    }
}
