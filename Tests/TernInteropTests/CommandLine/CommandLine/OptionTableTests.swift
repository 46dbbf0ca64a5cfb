// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernCLI

@Suite struct OptionTableTests {
    private static func words(_ arguments: String) -> [String] { arguments.split(separator: " ").map(String.init) }

    /// What this thread has used.
    private static var processorSeconds: Double {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func error<Options: OptionGroup>(_ arguments: String, _ kind: Options.Type) -> GrammarError? {
        #expect(throws: GrammarError.self) { try Options.parse(words(arguments)) }
    }

    private static func isWellFormed<Options: OptionGroup>(_ arguments: String, _ kind: Options.Type) -> Bool {
        do {
            _ = try Options.parse(words(arguments))
            return true
        } catch {
            // Values that contradict each other are none of the table's business.
            return !(error is GrammarError)
        }
    }

    @Test(
        "of an option that is given twice the last one counts, in any form",
        arguments: [
            ("-X a -X b", "-X b"), ("-X a --request b", "-X b"), ("--request=a -vX b", "-vXb"), ("-Xa -Xb", "-Xb"),
            ("--max-time 1 u --max-time=2", "-m2 u"), ("-m1 u -m2", "-m2 u"), ("-d -X -X a -X b", "-d -X -X b"),
            ("-A a -A b -A c", "-A c"), ("-o a -o b", "-o a -o b"), ("-d a -d b", "-d a -d b"),
            ("-L --no-location", ""), ("--no-location -L", "-L"), ("-s --no-silent --silent", "-s"),
            ("--no-keepalive --keepalive", ""), ("--buffer --no-buffer", "-N"), ("--no-tcp-nodelay", ""),
        ])
    func repeated(arguments: String, expected: String) throws {
        let options = try [arguments, expected].map { try RequestCommand.parse(Self.words($0 + " http://a/")).options }
        let texts = options.map { "\($0)".replacing(#/order: [0-9]+/#, with: "") }
        #expect(texts[0] == texts[1])
    }

    @Test func `forty thousand options are read in a time that is not their square`() throws {
        let start = Self.processorSeconds
        let words = (0..<40_000).flatMap { ["-d", "\($0)"] } + (0..<40_000).map { "http://a/\($0)" }
        #expect(try RequestCommand.parse(words).options.last.content.text.count == 40_000)
        // A copy for each of them takes minutes.
        #expect(Self.processorSeconds - start < 20)
    }

    @Test(
        "what may be repeated may be",
        arguments: [
            "-H a:b -H c:d", "--pin a --pin b", "-v -v", "-o - -v", "-X a -- -X b", "-HXX -HXX", "-o a -o b",
            "-k --key a --key-log b", "-d a -d b", "-d -X -X b", "-Xa -d -d -dX", "--data --user -u a:b", "-dm -dm",
        ])
    func once(arguments: String) {
        #expect(Self.isWellFormed(arguments, RequestCommand.self))
        #expect(Self.isWellFormed("--crl a --crl b u", TrustEvaluateCommand.self))
    }

    @Test(
        "a value may be joined to the option in front of it",
        arguments: [
            ("-da=b", "-d a=b"), ("-HName:x", "-H Name:x"), ("-sSLofile", "-s -S -L -o file"), ("-uu:x", "-u u:x"),
            ("-d -da=b", "-d -da=b"), ("--header -Hx:", "--header=-Hx:"), ("--data=-da -XPUT", "-d -da --request PUT"),
            ("-m1 -o -", "-m 1 -o-"), ("-o=file", "--output==file"), ("--url=-x", "--url -x"), ("-OO", "-O -O"),
            ("-- -da", "-- -da"), ("a -s b", "-s a b"), ("- -i", "-i -- -"),
        ])
    func joined(arguments: String, expected: String) throws {
        #expect(try Self.values(arguments) == Self.values(expected))
    }

    /// What the arguments say, option by option.
    private static func values(_ arguments: String) throws -> [[String]] {
        let options = RunOptions.descriptions
        var all = Array(repeating: [String](), count: options.count)
        try ArgumentReader.read(words(arguments), options) { all[$0].append($1.text) }
        return all
    }

    @Test(
        "an argument that begins with a dash is a value behind an option that needs one, as in curl",
        arguments: [
            ("-d -X", nil), ("--data-raw --", nil), ("-H -a:b", nil), ("-A -", nil), ("-r -500", nil),
            ("-o -v", nil), ("--max-time -1", .invalidValue("-1", place: "--max-time <seconds>")),
            ("--retry -1", .invalidValue("-1", place: "--retry <number>")), ("-X --", nil),
            ("-d", .missingValue(of: "-d")), ("-so", .missingValue(of: "-o")),
        ] as [(String, GrammarError?)])
    func dashed(arguments: String, error: GrammarError?) {
        if let error {
            #expect(Self.error(arguments, RunOptions.self) == error)
        } else {
            #expect(Self.isWellFormed(arguments, RunOptions.self))
        }
    }

    @Test(
        "what is not in the table is named",
        arguments: [
            ("--nope", .unknownOption("--nope")), ("-sB", .unknownOption("-B")), ("--nope=1", .unknownOption("--nope")),
            ("--silent=1", .unwantedValue(of: "--silent")), ("-m x", .invalidValue("x", place: "-m <seconds>")),
            ("--max-filesize=1Q", .invalidValue("1Q", place: "--max-filesize <bytes>")),
            ("--help", .help), ("-h", .help), ("-sh", .help), ("--version", .version),
            ("-d\u{301} u", nil), ("-d --help u", nil), ("-- --help", nil),
        ] as [(String, GrammarError?)])
    func named(arguments: String, error: GrammarError?) {
        if let error {
            #expect(Self.error(arguments, RunOptions.self) == error)
        } else {
            #expect(Self.isWellFormed(arguments, RunOptions.self))
        }
    }

    @Test func `an operand that is missing or too much is named`() {
        #expect(Self.error("", DownloadCommand.self) == .missingOperand(name: "url"))
        #expect(Self.error("file", UploadCommand.self) == .missingOperand(name: "url"))
        #expect(Self.error("a b", DownloadCommand.self) == .unexpected("b"))
        #expect(Self.error("a -- -b", DownloadCommand.self) == .unexpected("-b"))
    }

    @Test func `each option of each command is taken by the others, or refused in a sentence`() {
        let all = Set(DescribedOption.all.flatMap(\.description.names))
        for command in DescribedOption.commands(below: RootCommand.self) where command.subcommands.isEmpty {
            let own = Set((command.descriptions + HelpText.common).flatMap(\.spellings))
            for name in all where !own.contains(name) {
                #expect(DescribedOption.refusal(of: [name, "1"], by: command) == .unknownOption(name), "\(command)")
                let sentence = Advice.text(
                    for: .unknownOption(name), of: command, path: "tern", among: RootCommand.subcommands)
                #expect(sentence.contains("option '\(name)'") || sentence.contains("curl's option \(name)"))
            }
        }
    }

    @Test func `examples in the help use what their command takes`() {
        for command in DescribedOption.commands(below: RootCommand.self) where command.subcommands.isEmpty {
            for example in command.examples {
                let words = example.matches(of: #/'([^']*)'|([^ ]+)/#).map { String($0.1 ?? $0.2 ?? "") }
                    .filter { $0.first != "<" }
                #expect(DescribedOption.refusal(of: words, by: command) == nil, "\(command): \(example)")
            }
        }
    }

    @Test(arguments: DescribedOption.all)
    func `every option of every command is read under all of its names, and has one meaning`(option: DescribedOption) {
        let (names, all) = (option.description.names, option.command.descriptions)
        for name in option.description.opposites {
            #expect(all.filter { $0.spellings.contains(name) }.count == 1, "\(name)")
            switch option.refusal(of: [name]) {
            case nil, .missingOperand: break
            case let other?: Issue.record("\(name): \(other)")
            }
            #expect(option.refusal(of: [name + "=1"]) == .unwantedValue(of: name))
        }
        #expect(!option.description.help.isEmpty && names.allSatisfy { $0.hasPrefix("-") })
        for name in names {
            let twice = all.filter { $0.names.contains(name) }
            #expect(twice.count == 1, "\(name) of \(option.command) is in the table twice")
            guard option.description.value != nil else { continue }
            #expect(option.refusal(of: [name]) == .missingValue(of: name))
            // A value that no option takes: it is refused or taken, but known as a value.
            for words in [[name, "1"], [name.hasPrefix("--") ? name + "=1" : name + "1"]] {
                switch option.refusal(of: words) {
                case nil, .invalidValue, .missingOperand: break
                case let other?: Issue.record("\(words): \(other)")
                }
            }
        }
    }
}

/// An option of a command.
struct DescribedOption: Sendable, CustomTestStringConvertible {
    let command: any ToolCommand.Type
    let description: OptionDescription

    var testDescription: String { "\(command) \(description.names)" }

    /// Those of all commands.
    static let all: [DescribedOption] = commands(below: RootCommand.self).flatMap { command in
        command.descriptions.filter { !$0.isOperand }.map { DescribedOption(command: command, description: $0) }
    }

    static func commands(below command: any ToolCommand.Type) -> [any ToolCommand.Type] {
        [command] + command.subcommands.flatMap(commands(below:))
    }

    func refusal(of words: [String]) -> GrammarError? { Self.refusal(of: words, by: command) }

    static func refusal(of words: [String], by command: any ToolCommand.Type) -> GrammarError? {
        do {
            _ = try command.parse(words)
            return nil
        } catch {
            return error as? GrammarError
        }
    }
}
