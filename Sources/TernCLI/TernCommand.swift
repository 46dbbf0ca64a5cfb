// SPDX-License-Identifier: Apache-2.0
// Safety: the process keeps its arguments, each of which ends with a NUL.
package import ArgumentParser
import FoundationEssentials
import Glibc
import TernFiles

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
        ByteText.useForPaths()
        let arguments = JoinedValue.separated(Array(typed.dropFirst()))[...]
        do {
            // Without arguments, print the help.
            let words = arguments.isEmpty ? ["--help"] : arguments == ["-V"] ? ["--version"] : Array(arguments)
            await run(try parsed(words), arguments)
        } catch {
            exit(showing: error, about: called(by: arguments))
        }
    }

    /// The arguments of the process, whose bytes need not be UTF-8.
    private static var typed: [String] {
        (0..<Int(CommandLine.argc)).compactMap { index in
            guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
            return unsafe ByteText.text(of: UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
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
            Glibc.exit(code.rawValue)
        } catch let lost as StandardStreams.WriteError {
            exit(telling: lost, about: kind)
        } catch let wrong as ValidationError {
            exit(telling: wrong)
        } catch let failure as CommandFailure {
            exit(telling: failure, about: kind)
        } catch {
            exit(showing: error, about: kind)
        }
    }

    private static func exit(
        telling lost: StandardStreams.WriteError, about kind: (any ParsableCommand.Type)? = nil
    ) -> Never {
        if !lost.isBrokenPipe { StandardStreams.tell("tern: \(lost)") }
        Glibc.exit(kind is any EndsLikeCurl.Type ? ExitStatus.unwritable.rawValue : 1)
    }

    private static func exit(telling failure: CommandFailure, about command: any ParsableCommand.Type) -> Never {
        guard command is any EndsLikeCurl.Type else { exit(telling: ValidationError(failure.message)) }
        StandardStreams.tell(failure.line)
        Glibc.exit(failure.status.rawValue)
    }

    private static func exit(telling wrong: ValidationError) -> Never {
        StandardStreams.tell(CommandFailure(.usage, wrong.message).line)
        Glibc.exit(ExitStatus.usage.rawValue)
    }

    /// The command that these arguments call, also if they are wrong.
    private static func called(by arguments: ArraySlice<String>) -> any ParsableCommand.Type {
        var command: any ParsableCommand.Type = self
        for word in arguments {
            guard let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == word })
            else { break }
            command = next
        }
        return command == self ? GetCommand.self : command
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
    private static func exit(showing error: any Error, about command: any ParsableCommand.Type) -> Never {
        guard exitCode(for: error) == .success else {
            let message = Advice.improved(
                message(for: error), of: command, path: path(to: command, from: self) ?? "tern",
                among: configuration.subcommands)
            exit(telling: ValidationError(message))
        }
        do throws(StandardStreams.WriteError) {
            try StandardStreams.print(fullMessage(for: error))
        } catch {
            exit(telling: error)
        }
        Glibc.exit(0)
    }
}
