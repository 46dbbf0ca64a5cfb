// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Testing

@testable import TernCLI

@Suite struct RepeatedOptionTests {
    @Test(
        "a single-valued option that is given twice is found, in any form",
        arguments: [
            ("-X a -X b", "-X"), ("-X a --request b", "--request"), ("--request=a -vX b", "-X"), ("-Xa -Xb", "-X"),
            ("--max-time 1 u --max-time=2", "--max-time"), ("-m1 u -m2", "-m"), ("-X -X -X b", "-X"),
        ])
    func repeated(arguments: String, option: String) {
        #expect(Self.first(arguments, GetCommand.self) == option)
    }

    @Test(
        "a letter means what it means in its command",
        arguments: [
            ("-c 1 --connections 2", "--connections"), ("-d 1 -d 2", "-d"), ("--cacert a --cacert b", "--cacert"),
        ])
    func repeatedElsewhere(arguments: String, option: String) {
        #expect(Self.first(arguments, BenchCommand.self) == option)
        #expect(Self.first("--anchors a --cacert b", TrustPinsCommand.self) == "--cacert")
    }

    @Test(
        "what may be repeated may be",
        arguments: [
            "-H a:b -H c:d", "--pin a --pin b", "-v -v", "-o - -v", "-X a -- -X b", "-HXX -HXX", "-o a -o b",
            "-k --key a --key-log b", "-d a -d b", "-d -X -X b", "-X -d -d -X", "--data --user -u a", "-dm -dm",
        ])
    func once(arguments: String) {
        #expect(Self.first(arguments, GetCommand.self) == nil)
        #expect(Self.first("--crl a --crl b", TrustPinsCommand.self) == nil)
    }

    @Test(arguments: ParserOption.all)
    func `every option of every command is known`(option: ParserOption) {
        for (name, other) in zip(option.names, option.names.dropFirst() + option.names.prefix(1)) {
            #expect(RepeatedOption.isFollowedByValue(name))
            let first = RepeatedOption.first(in: [name, "1", other, "2"], of: option.command)
            #expect(first == (option.isRepeating ? nil : other), "\(name), \(other)")
        }
    }

    private static func first(_ arguments: String, _ command: any ParsableCommand.Type) -> String? {
        RepeatedOption.first(in: arguments.split(separator: " ").map(String.init), of: command)
    }
}

@Suite struct JoinedValueTests {
    @Test(arguments: [
        ("-da=b", "-d a=b"), ("-HName:x", "-H Name:x"), ("-sSLofile", "-sSLo file"), ("-uuser:x", "-u user:x"),
        ("-d -da=b", "-d -da=b"), ("--header -Hx", "--header -Hx"), ("-sS -o x", "-sS -o x"), ("-- -da", "-- -da"),
        ("- -i", "- -i"), ("--data=-da -XPUT", "--data=-da -X PUT"), ("-m1 -o -", "-m 1 -o -"),
    ])
    func `a value is taken off the option it is glued to`(arguments: String, expected: String) {
        let words = arguments.split(separator: " ").map(String.init)
        #expect(JoinedValue.separated(words) == expected.split(separator: " ").map(String.init))
    }

    @Test(arguments: ParserOption.all)
    func `a value is taken off every short option of every command`(option: ParserOption) {
        for name in option.names where !name.hasPrefix("--") {
            #expect(JoinedValue.separated([name + "1=2"]) == [name, "1=2"], "\(name)")
        }
    }
}

/// An option that takes a value, as the parser describes it.
struct ParserOption: Sendable, CustomTestStringConvertible {
    let command: any ParsableCommand.Type
    /// With their dashes.
    let names: [String]
    let isRepeating: Bool

    var testDescription: String { "\(command) \(names)" }

    /// Those of all commands.
    static let all: [ParserOption] = commands(below: TernCommand.self).flatMap(options)

    private static func commands(below command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        let below = command.configuration.subcommands
        return below.isEmpty ? [command] : below.flatMap(commands(below:))
    }

    private static func options(of command: any ParsableCommand.Type) -> [ParserOption] {
        guard let dump = try? JSONDecoder().decode(Dump.self, from: Data(command._dumpHelp().utf8)) else {
            Issue.record("\(command) is not described")
            return []
        }
        return dump.command.arguments.filter { $0.kind == "option" }.map { argument in
            let names = (argument.names ?? []).map { ($0.kind == "short" ? "-" : "--") + $0.name }
            return ParserOption(command: command, names: names, isRepeating: argument.isRepeating)
        }
    }

    private struct Dump: Decodable {
        let command: Command

        struct Command: Decodable { let arguments: [Argument] }

        struct Argument: Decodable {
            let kind: String
            let isRepeating: Bool
            let names: [Name]?
        }

        struct Name: Decodable {
            let kind: String
            let name: String
        }
    }
}
