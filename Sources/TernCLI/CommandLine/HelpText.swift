// SPDX-License-Identifier: Apache-2.0

/// What `--help` prints.
enum HelpText {
    private static let width = 80
    private static let column = 26

    /// The options that every command has.
    static let common = [
        OptionDescription(names: ["--version"], help: "Show the version."),
        OptionDescription(names: ["-h", "--help"], help: "Show help information."),
    ]

    /// - Parameter path: the names of the command, as typed.
    static func text(of command: any ToolCommand.Type, path: String) -> String {
        let descriptions = command.descriptions
        var parts = [wrapped("OVERVIEW: " + command.abstract)]
        if !command.discussion.isEmpty {
            parts.append(
                command.discussion.split(separator: "\n", omittingEmptySubsequences: false)
                    .map { wrapped(String($0)) }.joined(separator: "\n"))
        }
        parts.append("USAGE: \(usage(of: command, path))")
        parts += sections(descriptions).map { title, rows in
            ([title.uppercased() + ":"] + rows.map { row($0.usage, $0.help) }).joined(separator: "\n")
        }
        if !command.subcommands.isEmpty {
            let rows = command.subcommands.map {
                row($0.name + ($0 == command.defaultSubcommand ? " (default)" : ""), $0.abstract)
            }
            parts.append((["SUBCOMMANDS:"] + rows).joined(separator: "\n"))
            parts.append("  See '\(path) <subcommand> --help' for detailed help.")
        }
        return parts.joined(separator: "\n\n")
    }

    static func usage(of command: any ToolCommand.Type, _ path: String) -> String {
        if !command.subcommands.isEmpty { return path + " <subcommand>" }
        let operands = command.descriptions.filter(\.isOperand).map { operand in
            let name = "<\(operand.value ?? "")>" + (operand.repeats ? " ..." : "")
            return operand.isRequired ? name : "[\(name)]"
        }
        return ([path, "[<options>]"] + operands).joined(separator: " ")
    }

    /// Operands, the groups with a title, and the rest.
    static func sections(_ descriptions: [OptionDescription]) -> [(title: String, rows: [OptionDescription])] {
        var sections: [(title: String, rows: [OptionDescription])] = []
        for description in descriptions {
            guard !description.isOperand, let title = description.section else { continue }
            if let index = sections.firstIndex(where: { $0.title == title }) {
                sections[index].rows.append(description)
            } else {
                sections.append((title, [description]))
            }
        }
        let rest = descriptions.filter { !$0.isOperand && $0.section == nil } + common
        let operands = descriptions.filter(\.isOperand)
        return (operands.isEmpty ? [] : [("Arguments", operands)]) + sections + [("Options", rest)]
    }

    private static func row(_ usage: String, _ help: String) -> String {
        let lines = lines(help, width: width - column)
        let indent = "\n" + String(repeating: " ", count: column)
        let fits = usage.count + 3 <= column
        let first = "  " + usage + (fits ? String(repeating: " ", count: column - usage.count - 2) : indent)
        return first + lines.joined(separator: indent)
    }

    /// A line that begins with a blank belongs to a list, whose first column it keeps.
    private static func wrapped(_ text: String) -> String {
        var rest = text[...]
        var first = ""
        if text.first == " " {
            first += rest.prefix { $0 == " " }
            rest = rest.drop { $0 == " " }
            first += rest.prefix { $0 != " " } + "  "
            rest = rest.drop { $0 != " " }
        }
        let hanging = String(repeating: " ", count: first.count)
        return first + lines(String(rest), width: width - first.count).joined(separator: "\n" + hanging)
    }

    private static func lines(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines.isEmpty ? [""] : lines
    }
}
