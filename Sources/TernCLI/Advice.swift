// SPDX-License-Identifier: Apache-2.0

/// What to do about an option that a command does not have.
enum Advice {
    /// What is wrong with the arguments of a command, in one line, which leads to its help where there is no advice.
    ///
    /// - Parameters:
    ///   - path: the names of the command, as typed.
    ///   - commands: those whose options may have been meant.
    static func text(
        for error: GrammarError, of command: any ToolCommand.Type, path: String, among commands: [any ToolCommand.Type]
    ) -> String {
        let hint = "; see \"\(path) --help\""
        switch error {
        case .unknownOption(let option):
            return unknown(option, command, commands) ?? "unknown option '\(option)'\(hint)"
        case .missingOperand("url"): return "no URL is given: give one, such as http://localhost:8080/"
        case .missingOperand(let name): return "missing expected argument '<\(name)>'\(hint)"
        case .missingValue(let option): return "missing value for '\(option)'\(hint)"
        case .unwantedValue(let option): return "the option '\(option)' takes no value\(hint)"
        case .invalidValue(let value, let place): return "the value '\(value)' is invalid for '\(place)'\(hint)"
        case .unexpected(let word): return "unexpected argument '\(word)'\(hint)"
        case .within(let place, let error):
            return place + ": " + text(for: error, of: command, path: path, among: commands)
        case .help, .version: return "see \"\(path) --help\""
        }
    }

    private static func unknown(
        _ option: String, _ command: any ToolCommand.Type, _ commands: [any ToolCommand.Type]
    ) -> String? {
        let known = command.endsLikeCurl ? CurlOption(named: option) : nil
        if let known, known.relation == .absent { return "curl's option \(option) is not supported: \(known.text)" }
        if let other = others(than: command, commands).first(where: { names($0).contains(option) }) {
            return "unknown option '\(option)': it is an option of \"tern \(other.name)\""
        }
        if option == "-V" { return "unknown option '-V': \"tern -V\" prints the version" }
        return nearest(to: option, among: names(command)).map { "unknown option '\(option)': did you mean \($0)?" }
    }

    /// One command of those with the same options.
    private static func others(than command: any ToolCommand.Type, _ commands: [any ToolCommand.Type])
        -> [any ToolCommand.Type]
    {
        commands.filter { $0 != command && (!$0.isFetch || $0 == GetCommand.self && !command.isFetch) }
    }

    private static func names(_ command: any ToolCommand.Type) -> [String] {
        (command.descriptions + HelpText.common).flatMap(\.names)
    }

    /// The long option that differs by a letter, or by two in long names.
    private static func nearest(to option: String, among names: [String]) -> String? {
        guard option.hasPrefix("--") else { return nil }
        let limit = max(1, (option.count - 2) / 4)
        return names.filter { $0.hasPrefix("--") }.map { ($0, distance(from: option, to: $0)) }
            .filter { $0.1 <= limit }.min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
    }

    /// The number of letters to insert, remove or replace (Levenshtein).
    private static func distance(from one: String, to other: String) -> Int {
        let other = Array(other.utf8)
        var row = Array(0...other.count)
        for (index, letter) in one.utf8.enumerated() {
            var corner = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = corner + (other[column] == letter ? 0 : 1)
                corner = row[column + 1]
                row[column + 1] = min(replaced, corner + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
