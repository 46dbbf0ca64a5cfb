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
        case .missingOperand("url") where command == UploadCommand.self:
            return "a file and a URL are needed: tern upload FILE URL, where \"-\" is standard input"
        case .missingOperand("url"): return "no URL is given: give one, such as http://localhost:8080/"
        case .missingOperand(let name): return "missing expected argument '<\(name)>'\(hint)"
        case .missingValue(let option): return "missing value for '\(option)'\(hint)"
        case .unwantedValue(let option): return "the option '\(option)' takes no value\(hint)"
        case .invalidValue(let value, let place):
            return invalid(value, place) ?? "the value '\(value)' is invalid for '\(place)'\(hint)"
        case .unexpected(let word):
            let meant = Suggestion.nearest(to: word, among: command.subcommands.map { $0.name })
            let what = command.subcommands.isEmpty ? "unexpected argument '\(word)'" : "no such command: '\(word)'"
            return what + (meant.map { ": did you mean \"\(path) \($0)\"?" } ?? hint)
        case .within(let place, let error):
            return place + ": " + text(for: error, of: command, path: path, among: commands)
        case .help, .version: return "see \"\(path) --help\""
        }
    }

    /// What the value is not, which the name of the option's value says.
    private static func invalid(_ value: String, _ place: String) -> String? {
        let words = place.split(separator: " ")
        guard let name = words.last, name.hasPrefix("<"), name.hasSuffix(">") else { return nil }
        let option = words.dropLast().joined(separator: " ")
        let kind = OptionDescription.ValueKind(name: String(name.dropFirst().dropLast()))
        switch kind {
        case .number: return "\(option): \"\(value)\" is no number from 0 on"
        case .words(let choices):
            let meant = Suggestion.nearest(to: value, among: choices).map { "; did you mean \($0)?" } ?? ""
            return "\(option): \"\(value)\" is none of \(choices.joined(separator: ", "))\(meant)"
        case .file, .folder, .other: return nil
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
        guard option.hasPrefix("--") else { return nil }
        let long = names(command).filter { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) }
        return Suggestion.nearest(to: String(option.dropFirst(2)), among: long)
            .map { "unknown option '\(option)': did you mean --\($0)?" }
    }

    private static func others(than command: any ToolCommand.Type, _ commands: [any ToolCommand.Type])
        -> [any ToolCommand.Type]
    {
        commands.filter { $0 != command }
    }

    private static func names(_ command: any ToolCommand.Type) -> [String] {
        (command.descriptions + HelpText.common).flatMap(\.names)
    }
}
