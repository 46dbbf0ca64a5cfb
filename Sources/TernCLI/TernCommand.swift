// SPDX-License-Identifier: Apache-2.0
package import ArgumentParser
import Foundation

/// The command `tern`.
///
/// The commands that send requests end with curl's exit codes (``ExitStatus``). The others end with 0 when done, with 1
/// when the trust decision or the measurement failed or its output was lost, and with 2 for wrong usage.
package struct TernCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "tern",
        abstract: "An HTTP/1.1 client with certificate pinning, and its benchmark.",
        discussion: """
            "tern URL" is short for "tern get URL", and for "tern request URL" with options that set a method or a body.
            """,
        version: "tern \(Version.current)",
        subcommands: [
            GetCommand.self, HeadCommand.self, PostCommand.self, PutCommand.self, PatchCommand.self, DeleteCommand.self,
            RequestCommand.self, DownloadCommand.self, UploadCommand.self, EventsCommand.self, TrustCommand.self,
            BenchCommand.self, DemoCommand.self,
        ],
        defaultSubcommand: GetCommand.self)

    package init() {}

    package static func main() async {
        StandardStreams.occupyClosed()
        let arguments = JoinedValue.separated(Array(CommandLine.arguments.dropFirst()))[...]
        do {
            // Without arguments, print the help.
            await run(try parsed(arguments.isEmpty ? ["--help"] : Array(arguments)), arguments)
        } catch {
            exit(showing: error)
        }
    }

    private static func parsed(_ arguments: [String]) throws -> sending any ParsableCommand {
        let command = try parseAsRoot(arguments)
        guard let get = command as? GetCommand, arguments.first != GetCommand.configuration.commandName,
            get.options.content.givesMethod
        else { return command }
        var request = RequestCommand()
        request.options = get.options
        return request
    }

    private static func run(_ command: sending any ParsableCommand, _ arguments: ArraySlice<String>) async {
        let kind = type(of: command)
        do {
            if let option = RepeatedOption.first(in: arguments, of: kind) {
                throw ValidationError("\(option) is given more than once")
            }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                var command = command
                try command.run()
            }
        } catch let code as ExitCode {
            Foundation.exit(code.rawValue)
        } catch let lost as StandardStreams.WriteError {
            exit(telling: lost, about: kind)
        } catch let wrong as ValidationError {
            exit(telling: wrong, about: kind)
        } catch let failure as CommandFailure {
            exit(telling: failure, about: kind)
        } catch {
            exit(showing: error)
        }
    }

    private static func exit(
        telling lost: StandardStreams.WriteError, about kind: (any ParsableCommand.Type)? = nil
    ) -> Never {
        if !lost.isBrokenPipe { StandardStreams.tell("tern: \(lost)") }
        Foundation.exit(kind is any EndsLikeCurl.Type ? ExitStatus.unwritable.rawValue : 1)
    }

    private static func exit(telling failure: CommandFailure, about command: any ParsableCommand.Type) -> Never {
        guard command is any EndsLikeCurl.Type else { exit(telling: ValidationError(failure.message), about: command) }
        StandardStreams.tell(failure.line)
        Foundation.exit(failure.status.rawValue)
    }

    /// In the parser's own format.
    private static func exit(telling wrong: ValidationError, about command: any ParsableCommand.Type) -> Never {
        let path = path(to: command, from: self) ?? "tern"
        StandardStreams.tell(
            "Error: \(wrong.message)\nUsage: \(usageString(for: command))\n  See '\(path) --help' for more information."
        )
        Foundation.exit(2)
    }

    private static func path(
        to command: any ParsableCommand.Type, from root: any ParsableCommand.Type
    ) -> String? {
        let name = root.configuration.commandName ?? ""
        if command == root { return name }
        return root.configuration.subcommands.lazy.compactMap { path(to: command, from: $0) }.first.map {
            name + " " + $0
        }
    }

    /// Help is a success; anything else is wrong usage.
    private static func exit(showing error: any Error) -> Never {
        let message = Advice.improved(fullMessage(for: error), of: configuration.subcommands)
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
