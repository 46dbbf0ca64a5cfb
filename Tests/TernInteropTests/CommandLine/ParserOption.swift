// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Testing

@testable import TernCLI

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
