// SPDX-License-Identifier: Apache-2.0

/// What `--help` prints: a screen with examples and the options that are used most, or everything about one topic.
enum HelpText {
    private static let width = 80
    /// Where the text of an option begins.
    private static let column = 26
    /// The same in the short help.
    private static let shortColumn = 30

    /// The options that every command has.
    static let common = [
        OptionDescription(names: ["--version"], help: "Show the version."),
        OptionDescription(
            names: ["-h", "--help"],
            help: """
                Show help: the most common options, or behind it "all" for all of them, the word of a category, or an option.
                """),
    ]

    /// What the short help says of the options that are used most. A value tells options of one name apart.
    static let essentials: [(usage: String, text: String)] = [
        ("--data <data>", "Send this with POST; a file, if it begins with @"),
        ("--json <data>", "Send this JSON with POST"),
        ("--form <name=content>", "Send a form with POST; a file, as in name=@file"),
        ("--upload-file <file>", "Send this file, with PUT"),
        ("--fail", "Fail for a status of 400 or more"),
        ("--header <field>", "Send this field, such as 'Accept: text/html'"),
        ("--include", "Show the head of the response, too"),
        ("--location", "Follow redirects"),
        ("--max-time <seconds>", "The maximum time in all"),
        ("--output <file>", "Write to this file"),
        ("--continue-at <->", "Resume an earlier download"),
        ("--retry <number>", "Try again this often after a failure"),
        ("--sha256 <hex>", "Require this digest of the file"),
        ("--no-reconnect", "End when the stream ends"),
        ("--wait", "Go on when standard input ends"),
        ("--binary", "Send binary messages"),
        ("--report-json", "Print JSON"),
        ("--silent", "Show no progress and no errors"),
        ("--user <user:password>", "Log in with this name and password"),
        ("--verbose", "Show what is sent and received"),
        ("--request <method>", "Send this method"),
        ("--head", "Send HEAD, and show the head"),
        ("--cacert <file>", "Trust only the authorities in this PEM file"),
        ("--pin <sha256/BASE64>", "Require this public key in the server's chain"),
    ]

    /// The short help of commands with many options, and the whole help of others.
    ///
    /// - Parameter path: the names of the command, as typed.
    static func text(of command: any ToolCommand.Type, path: String) -> String {
        let rows = command.endsLikeCurl ? essentialRows(command.descriptions) : []
        if rows.isEmpty { return complete(command, path) { $0.map { row($0.usage, $0.help) } } }
        return """
            \(wrapped("OVERVIEW: " + command.abstract))
            USAGE: \(usage(of: command, path))

            \(examples(of: command, path).joined(separator: "\n"))

            OPTIONS:
            \(rows.joined(separator: "\n"))

            \(path) --help all: every option on a line; --help OPTION: all about it
            \(lines("--help WORD: one of \(topics(of: command).joined(separator: ", "))", width: width)
                .joined(separator: "\n"))
            """
    }

    /// Nil if there is no such topic.
    ///
    /// - Parameter topic: "all", the word of a category, or an option.
    static func text(of command: any ToolCommand.Type, path: String, about topic: String) -> String? {
        if topic == "all" { return complete(command, path) { $0.map { line($0.usage, $0.help) } } }
        let all = command.descriptions + common
        let options = all.filter { $0.names.contains(topic) || $0.names.contains("--" + topic) }
        if !options.isEmpty { return options.map { row($0.usage, $0.help) }.joined(separator: "\n") }
        if topic == "exit", command.endsLikeCurl { return exitCodes }
        let named = sections(command.descriptions).filter { word(of: $0.title) == topic.lowercased() }
        return named.isEmpty
            ? nil : named.map { section($0.title, $0.rows.map { row($0.usage, $0.help) }) }.joined(separator: "\n\n")
    }

    /// The words of the categories of a command, for its help.
    static func topics(of command: any ToolCommand.Type) -> [String] {
        ["all"] + sections(command.descriptions).map { word(of: $0.title) } + (command.endsLikeCurl ? ["exit"] : [])
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

    /// Everything, with the rows as `rows` makes them.
    private static func complete(
        _ command: any ToolCommand.Type, _ path: String, _ rows: ([OptionDescription]) -> [String]
    ) -> String {
        var parts = [wrapped("OVERVIEW: " + command.abstract), "USAGE: \(usage(of: command, path))"]
        let examples = examples(of: command, path)
        if !examples.isEmpty { parts.append(examples.joined(separator: "\n")) }
        if !command.discussion.isEmpty {
            parts.append(
                command.discussion.split(separator: "\n", omittingEmptySubsequences: false)
                    .map { wrapped(String($0)) }.joined(separator: "\n"))
        }
        parts += sections(command.descriptions).map { section($0.title, rows($0.rows)) }
        if !command.subcommands.isEmpty {
            let rows = command.subcommands.map {
                row($0.name + ($0 == command.defaultSubcommand ? " (default)" : ""), $0.abstract)
            }
            parts.append(section("Subcommands", rows))
            parts.append("  See '\(path) <subcommand> --help' for detailed help.")
        }
        if command.endsLikeCurl { parts.append(exitCodes) }
        return parts.joined(separator: "\n\n")
    }

    private static var exitCodes: String { section("Exit codes", [ExitStatus.table]) }

    private static func section(_ title: String, _ rows: [String]) -> String {
        ([title.uppercased() + ":"] + rows).joined(separator: "\n")
    }

    /// The first word of a title, which names the category.
    private static func word(of title: String) -> String {
        String(title.lowercased().prefix { $0.isLetter })
    }

    private static func examples(of command: any ToolCommand.Type, _ path: String) -> [String] {
        command.examples.isEmpty ? [] : ["EXAMPLES:"] + command.examples.map { "  \(path) \($0)" }
    }

    private static func essentialRows(_ descriptions: [OptionDescription]) -> [String] {
        essentials.compactMap { essential in
            let option = descriptions.first { option in
                option.names.contains { $0 + (option.value.map { " <\($0)>" } ?? "") == essential.usage }
            }
            guard let option else { return nil }
            // Options without a letter stand below the names of the others.
            let letter = option.names.first { !$0.hasPrefix("--") }.map { $0 + ", " } ?? "    "
            return "  " + padded(letter + essential.usage, to: shortColumn - 2) + essential.text
        }
    }

    private static func padded(_ text: String, to count: Int) -> String {
        text + String(repeating: " ", count: max(2, count - text.count))
    }

    /// One line, however long, for grep(1).
    private static func line(_ usage: String, _ help: String) -> String {
        "  " + padded(usage, to: column - 2) + summary(help)
    }

    /// The first sentence of a help, without its full stop.
    static func summary(_ help: String) -> String {
        let text = help.split(whereSeparator: \.isNewline).joined(separator: " ")
        return text.firstRange(of: ". ").map { String(text[..<$0.lowerBound]) }
            ?? String(text.last == "." ? text.dropLast() : text[...])
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
