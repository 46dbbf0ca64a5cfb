// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Tern

/// Runs a command that sends requests, from its options to its end.
struct FetchRun {
    /// The method of the command; nil leaves it to the options.
    let method: String?
    let options: FetchOptions
    /// Whether the progress is that of the upload rather than the response.
    var showsUpload = false

    func run() async throws {
        let choice = try MethodChoice(command: method, options.content)
        let targets = try options.targets()
        var configuration = try options.configuration()
        let cookies = try FetchCookies(options, for: targets)
        configuration.httpCookieStorage = cookies?.storage
        var planner = FetchPlanner(options: options, choice: choice, configuration: configuration)
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
        do {
            for plan in plans {
                let status = try await fetcher.fetch(plan)
                if status != .success { last = status }
            }
            try fetcher.finish()
        } catch {
            // The jar is written whatever has happened, and the first failure is the one that is told.
            try? cookies?.save()
            throw error
        }
        try cookies?.save()
        if last != .success { throw ExitCode(last.rawValue) }
    }
}
