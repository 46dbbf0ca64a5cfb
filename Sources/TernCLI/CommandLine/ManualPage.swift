// SPDX-License-Identifier: Apache-2.0

/// The manual page `tern(1)`, in the macros of man(7).
enum ManualPage {
    /// - Parameter root: the command `tern` itself.
    static func text(of root: any ToolCommand.Type) -> String {
        var lines = [
            ".TH TERN 1 \"\" \"\(Version.text)\" \"User commands\"", ".SH NAME",
            "tern \\- \(escaped(String(root.abstract.prefix(1).lowercased() + root.abstract.dropFirst())))",
            ".SH SYNOPSIS",
        ]
        for command in root.subcommands {
            lines += [".B \(escaped(HelpText.usage(of: command, root.name + " " + command.name)))", ".br"]
        }
        lines += [".SH DESCRIPTION", escaped(root.discussion)]
        lines += section("OPTIONS", of: root)
        let fetching = root.subcommands.filter { $0.isFetch }
        lines += [".SH \(escaped(fetching.map { $0.name }.joined(separator: ", ")))".uppercased()]
        for command in fetching { lines += [".TP", ".B \(command.name)", escaped(command.abstract)] }
        lines.append(".PP")
        lines += body(of: root.defaultSubcommand ?? root)
        for command in root.subcommands where !command.isFetch { lines += chapter(command, path: root.name) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func chapter(_ command: any ToolCommand.Type, path: String) -> [String] {
        let path = path + " " + command.name
        if !command.subcommands.isEmpty { return command.subcommands.flatMap { chapter($0, path: path) } }
        return [".SH \(path.uppercased())", escaped(command.abstract), ".PP"] + body(of: command)
    }

    private static func body(of command: any ToolCommand.Type) -> [String] {
        var lines: [String] = []
        for line in command.discussion.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                lines.append(".PP")
            } else if line.first == " " {
                // An entry of a list: a code and its meaning.
                let words = line.split(separator: " ", maxSplits: 1)
                lines += [".TP", ".B \(words[0])", escaped(words.dropFirst().joined().drop { $0 == " " }.description)]
            } else {
                lines.append(escaped(String(line)))
            }
        }
        for (title, rows) in HelpText.sections(command.descriptions) {
            lines += [".SS \(escaped(title))"] + rows.flatMap(entry)
        }
        return lines
    }

    private static func section(_ title: String, of command: any ToolCommand.Type) -> [String] {
        [".SH \(title)"] + (command.descriptions + HelpText.common).flatMap(entry)
    }

    private static func entry(_ option: OptionDescription) -> [String] {
        [".TP", ".B \(escaped(option.usage))", escaped(option.help)]
    }

    /// A backslash, a hyphen and a point or an apostrophe at the start of a line mean something to roff.
    private static func escaped(_ text: String) -> String {
        let joined = text.split(separator: "\n").joined(separator: " ")
        let body = joined.map { character in
            switch character {
            case "\\": "\\e"
            case "-": "\\-"
            case "\"": "\\(dq"
            default: String(character)
            }
        }.joined()
        return body.first == "." || body.first == "'" ? "\\&" + body : body
    }
}
