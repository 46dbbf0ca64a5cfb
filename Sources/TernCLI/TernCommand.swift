// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation

/// The command `tern`.
///
/// Exit codes: 0 done; 1 the request, the trust decision or the measurement failed, or its output was
/// lost; 2 wrong usage.
@main
struct TernCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tern",
        abstract: "An HTTP/1.1 client that pins certificates, and its benchmark.",
        subcommands: [GetCommand.self, TrustCommand.self, BenchCommand.self, DemoCommand.self])

    static func main() async {
        StandardStreams.occupyClosed()
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let code as ExitCode {
            Foundation.exit(code.rawValue)
        } catch let lost as StandardStreams.WriteError {
            exit(telling: lost)
        } catch {
            exit(showing: error)
        }
    }

    private static func exit(telling lost: StandardStreams.WriteError) -> Never {
        if !lost.isBrokenPipe { StandardStreams.tell("tern: \(lost)") }
        Foundation.exit(1)
    }

    /// Help is what was asked for; anything else is wrong usage.
    private static func exit(showing error: any Error) -> Never {
        let message = fullMessage(for: error)
        guard exitCode(for: error) == .success else {
            StandardStreams.tell(message)
            Foundation.exit(2)
        }
        do throws(StandardStreams.WriteError) {
            try StandardStreams.print(message)
        } catch {
            exit(telling: error)
        }
        Foundation.exit(0)
    }
}
