// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation

/// The command `tern`.
///
/// Exit codes: 0 done; 1 the request, the trust decision or the measurement failed; 2 wrong usage.
@main
struct TernCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tern",
        abstract: "An HTTP/1.1 client that pins certificates, and its benchmark.",
        subcommands: [GetCommand.self, TrustCommand.self, BenchCommand.self, DemoCommand.self])

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let code as ExitCode {
            Foundation.exit(code.rawValue)
        } catch {
            let isHelp = exitCode(for: error) == .success
            let message = fullMessage(for: error)
            (isHelp ? FileHandle.standardOutput : .standardError).write(Data((message + "\n").utf8))
            Foundation.exit(isHelp ? 0 : 2)
        }
    }
}
