// SPDX-License-Identifier: Apache-2.0
// Safety: the process keeps its arguments, each of which ends with a NUL.
import FoundationEssentials
import TernLibC
import TernFiles
import TernIO
import TernSystem

/// The command `tern`.
///
/// The commands that send requests end with curl's exit codes (``ExitStatus``). The others end with 0 when done, with 1
/// when the trust decision or the measurement failed or its output was lost, and with 2 for wrong usage.
package enum TernCommand {
    /// - Parameter starting: called before a command runs, and neither for help nor for wrong usage.
    package static func main(starting: () throws -> Void) async {
        // Before anything opens a descriptor: it would get the number of a stream that is closed.
        StandardStreams.occupyClosed()
        ByteText.useForPaths()
        let call = Call(typed.dropFirst())
        if call.isEmpty {
            StandardStreams.tell(HelpText.text(of: call.command, path: call.path))
            TernLibC.exit(ExitStatus.usage.rawValue)
        }
        await run(call.command, call, starting)
    }

    /// The arguments of the process, whose bytes need not be UTF-8.
    private static var typed: [String] {
        (0..<Int(CommandLine.argc)).compactMap { index in
            guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
            return unsafe ByteText.text(of: UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
        }
    }

    private static func run<Called: ToolCommand>(
        _ kind: Called.Type, _ call: Call, _ starting: () throws -> Void
    ) async {
        do {
            let command = try kind.parse(call.arguments)
            do {
                try Interruption.listen()
                try starting()
                try checkRoom()
            } catch {
                throw UsageError("cannot start: \(error)")
            }
            try await command.run()
        } catch let code as ExitCode {
            if code.rawValue != 0 { call.tellOfCommandMeant() }
            TernLibC.exit(code.rawValue)
        } catch let error as GrammarError {
            exit(for: error, call)
        } catch let lost as StandardStreams.WriteError {
            exit(telling: lost, endsLikeCurl: call.command.endsLikeCurl)
        } catch let wrong as UsageError {
            exit(telling: wrong)
        } catch let failure as any ReportedFailure {
            let message = failure.message(asking: nil)
            guard kind.endsLikeCurl else { exit(telling: UsageError(message)) }
            StandardStreams.tell(CommandFailure(failure.exitStatus, message).line)
            TernLibC.exit(failure.exitStatus.rawValue)
        } catch {
            exit(telling: UsageError("\(error)"))
        }
    }

    /// Dispatch serves the main actor with a thread and a descriptor. It waits for ever for the one, and ends the process
    /// without the other: where there is no room for both, the command does not start.
    private static func checkRoom() throws(SystemCallError) {
        let isStarted = Semaphore()
        try detachThread(name: "tern-room") { isStarted.signal() }
        isStarted.wait()
        let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemCallError(.open, code: errno) }
        close(descriptor)
        // Dispatch opens its own for the first work of the main actor: before anything else can take the last one.
        Task { @MainActor in }
    }

    /// Help and version are a success; anything else is wrong usage.
    private static func exit(for error: GrammarError, _ call: Call) -> Never {
        let text: String
        switch error {
        case .help: text = help(for: call)
        case .version: text = Version.text
        case .unknownOption, .missingValue, .unwantedValue, .invalidValue, .unexpected, .missingOperand,
            .within:
            exit(
                telling: UsageError(
                    Advice.text(for: error, of: call.command, path: call.path, among: RootCommand.subcommands)))
        }
        do throws(StandardStreams.WriteError) {
            try StandardStreams.print(text)
        } catch {
            exit(telling: error, endsLikeCurl: false)
        }
        TernLibC.exit(0)
    }

    private static func help(for call: Call) -> String {
        guard let topic = call.topic else { return HelpText.text(of: call.command, path: call.path) }
        let isFamily = !call.command.subcommands.isEmpty
        let command = isFamily ? call.command.defaultSubcommand ?? call.command : call.command
        let path = command == call.command ? call.path : call.path + " " + command.name
        if let text = HelpText.text(of: command, path: path, about: topic) { return text }
        let known = isFamily ? call.command.subcommands.map { $0.name } : []
        let topics = HelpText.topics(of: command)
        let meant = Suggestion.nearest(to: topic, among: known + topics).map { "; did you mean \"\($0)\"?" }
        let what = isFamily ? "command, option" : "option"
        exit(
            telling: UsageError(
                "no \(what) or category of help is named \"\(topic)\""
                    + (meant ?? "; the categories are \(topics.joined(separator: ", "))")))
    }

    private static func exit(telling lost: StandardStreams.WriteError, endsLikeCurl: Bool) -> Never {
        if !lost.isBrokenPipe { StandardStreams.tell("tern: \(lost)") }
        TernLibC.exit(endsLikeCurl ? ExitStatus.unwritable.rawValue : 1)
    }

    private static func exit(telling wrong: UsageError) -> Never {
        StandardStreams.tell(CommandFailure(.usage, wrong.message).line)
        TernLibC.exit(ExitStatus.usage.rawValue)
    }
}

/// What the arguments call.
private struct Call {
    private(set) var command: any ToolCommand.Type = RootCommand.self
    /// The names of the command, as typed.
    private(set) var path = RootCommand.name
    private(set) var arguments: [String]
    /// Whether no command is named, as in "tern URL".
    private(set) var isShort = false

    /// Whether there is nothing to run.
    var isEmpty: Bool { arguments.isEmpty && !command.subcommands.isEmpty }

    /// What help is wanted about: the word behind "--help"; nil for none.
    var topic: String? {
        guard let index = arguments.firstIndex(where: { $0 == "--help" || $0 == "-h" }) else { return nil }
        let next = arguments.dropFirst(index + 1).first
        // A URL is no topic: "tern get --help https://example.com".
        return next.flatMap { $0.contains("/") || $0.contains(":") ? nil : $0 }
    }

    /// "tern donwload URL" asks the host "donwload".
    func tellOfCommandMeant() {
        guard isShort, let word = arguments.first(where: { !$0.hasPrefix("-") }), !word.contains("."),
            let meant = Suggestion.nearest(to: word, among: RootCommand.subcommands.map { $0.name })
        else { return }
        StandardStreams.tell("tern: \(word) is no command, and was requested as a URL: did you mean \"tern \(meant)\"?")
    }

    init(_ words: ArraySlice<String>) {
        var rest = words == ["-V"] ? ["--version"] : words
        let asksForHelp = rest.first == "help"
        if asksForHelp { rest = rest.dropFirst() }
        while let next = command.subcommands.first(where: { $0.name == rest.first }) {
            (command, rest) = (next, rest.dropFirst())
            path += " " + next.name
        }
        arguments = (asksForHelp ? ["--help"] : []) + rest
        guard let next = command.defaultSubcommand, let first = arguments.first, !RootCommand.takes(first) else {
            return
        }
        (command, isShort) = (next, true)
        path += " " + command.name
    }
}

/// `tern` without a command: what is printed about all of them.
struct RootCommand: CommandFamily {
    static var table: OptionTable<Self> {
        OptionTable(
            .value(
                "--generate-completion-script", as: "bash|zsh|fish",
                help: "Print a script that completes command lines."
            ) { $0.shell = try $1.read(CompletionScript.init(rawValue:)) },
            .flag("--generate-manual", help: "Print the manual page, for man(1).") { $0.printsManual = true })
    }

    static let name = "tern"
    static let abstract = "An HTTP/1.1 client with certificate pinning, and its benchmark."
    static let discussion = """
        "tern URL" is short for "tern request URL".
        """

    static var subcommands: [any ToolCommand.Type] {
        [
            GetCommand.self, HeadCommand.self, PostCommand.self, PutCommand.self, PatchCommand.self, DeleteCommand.self,
            RequestCommand.self, DownloadCommand.self, UploadCommand.self, EventsCommand.self, WebSocketCommand.self,
            TrustCommand.self, BenchCommand.self, DemoCommand.self,
        ]
    }

    static var defaultSubcommand: (any ToolCommand.Type)? { RequestCommand.self }

    var shell: CompletionScript?
    var printsManual = false

    /// Whether a command line that begins with this word is not short for "tern request".
    static func takes(_ word: String) -> Bool {
        let name = String(word.prefix { $0 != "=" })
        return (descriptions + HelpText.common).contains { $0.names.contains(name) }
    }

    func run() async throws {
        if let shell { try StandardStreams.write(Data(shell.text(for: RootCommand.self).utf8)) }
        if printsManual { try StandardStreams.write(Data(ManualPage.text(of: RootCommand.self).utf8)) }
    }
}
