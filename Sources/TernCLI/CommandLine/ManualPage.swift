// SPDX-License-Identifier: Apache-2.0

/// The manual page `tern(1)`, in the macros of man(7).
enum ManualPage {
    /// - Parameter root: the command `tern` itself.
    static func text(of root: any ToolCommand.Type) -> String {
        let commands = root.subcommands.flatMap { called($0, path: root.name) }
        let lines =
            [
                ".TH TERN 1 \"\(Version.date)\" \"tern \(Version.current)\" \"User Commands\"", ".SH NAME",
                "tern \\- \(escaped(String(root.abstract.prefix(1).lowercased() + root.abstract.dropFirst())))",
                ".SH SYNOPSIS",
            ] + commands.flatMap { [".B \(escaped(HelpText.usage(of: $0.command, $0.path)))", ".br"] }
            + [".SH DESCRIPTION", escaped(root.discussion)]
            + commands.flatMap { [".TP", ".B \(escaped($0.path))", escaped($0.command.abstract)] }
            + options(of: root, commands)
            + [".SH EXAMPLES", ".nf"] + examples(root.name, root.examples)
            + commands.flatMap { examples($0.path, $0.command.examples) } + [".fi"]
            + [".SH EXIT STATUS"] + exitStatus + list("ENVIRONMENT", environment) + list("FILES", files)
            + [".SH SEE ALSO", ".BR curl (1),", ".BR openssl (1),", ".BR netrc (5)"]
        return lines.joined(separator: "\n") + "\n"
    }

    /// The commands that are run, with the names that call them.
    private static func called(
        _ command: any ToolCommand.Type, path: String
    ) -> [(path: String, command: any ToolCommand.Type)] {
        let path = path + " " + command.name
        return command.subcommands.isEmpty
            ? [(path, command)] : command.subcommands.flatMap { called($0, path: path) }
    }

    /// Each option once: below the first command that has it, and by name below the others.
    private static func options(
        of root: any ToolCommand.Type, _ commands: [(path: String, command: any ToolCommand.Type)]
    ) -> [String] {
        var places: [Description: String] = [:]
        var lines = [".SH OPTIONS"] + (root.descriptions + HelpText.common).flatMap(entry)
        for description in HelpText.common { places[Description(description)] = root.name }
        for (path, command) in commands { lines += chapter(command, &places, path) }
        return lines
    }

    private static func chapter(
        _ command: any ToolCommand.Type, _ places: inout [Description: String], _ path: String
    ) -> [String] {
        var lines = [".SH \(escaped(path.uppercased()))"] + paragraphs(command.discussion)
        var shared: [String: [String]] = [:]
        for (title, rows) in HelpText.sections(command.descriptions) {
            let (new, known) = (rows.filter { places[Description($0)] == nil }, rows.filter { !$0.isOperand })
            for row in known {
                // Those of "tern" itself go without saying.
                guard let place = places[Description(row)], place.contains(" ") else { continue }
                shared[place, default: []] += row.names.suffix(1)
            }
            if new.isEmpty { continue }
            lines += [".SS \(escaped(title))"] + new.flatMap(entry)
            for row in new where !row.isOperand { places[Description(row)] = path }
        }
        for (place, names) in shared.sorted(by: { $0.key < $1.key }) {
            lines += [".SS \(escaped("As in \"\(place)\""))", escaped(names.joined(separator: ", "))]
        }
        return lines
    }

    /// What makes two options one.
    private struct Description: Hashable {
        let usage: String
        let help: String

        init(_ option: OptionDescription) { (usage, help) = (option.usage, option.help) }
    }

    private static func paragraphs(_ discussion: String) -> [String] {
        discussion.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? ".PP" : escaped(String($0)) }
    }

    private static func entry(_ option: OptionDescription) -> [String] {
        [".TP", ".B \(escaped(option.usage))", escaped(option.help)]
    }

    private static func examples(_ path: String, _ arguments: [String]) -> [String] {
        arguments.map { escaped("\(path) \($0)") }
    }

    private static var exitStatus: [String] {
        ["Commands that send requests end as curl does, the others with 0, 1 or 2."]
            + ExitStatus.allCases.flatMap { [".TP", ".B \($0.rawValue)", escaped($0.cause)] }
    }

    private static func list(_ title: String, _ entries: [(name: String, text: String)]) -> [String] {
        [".SH \(title)"] + entries.flatMap { [".TP", ".B \(escaped($0.name))", escaped($0.text)] }
    }

    private static let environment: [(name: String, text: String)] = [
        ("http_proxy, https_proxy, HTTPS_PROXY", "The proxy for URLs of this scheme, unless -x names one."),
        ("all_proxy, ALL_PROXY", "The proxy for URLs whose scheme has none."),
        ("no_proxy, NO_PROXY", "The hosts that are connected to without a proxy, separated by commas; \"*\" is all."),
        (
            "SSL_CERT_FILE, SSL_CERT_DIR",
            "The authorities to trust in place of the system's, unless --cacert names some."
        ),
        ("NETRC", "The file of -n in place of ~/.netrc."),
        ("HOME", "The folder of .netrc."),
        ("TMPDIR", "The folder of temporary files in place of /tmp."),
    ]

    private static let files: [(name: String, text: String)] = [
        ("~/.netrc", "Names and passwords by host, for -n."),
        ("/etc/ssl/certs", "The system's authorities, where the system keeps them there."),
        (".NAME.tern-part", "What has arrived of an interrupted download of NAME, beside it."),
    ]

    /// A backslash, a hyphen, quotes, and a point or an apostrophe at the start of a line mean something to roff, which
    /// reads ASCII.
    private static func escaped(_ text: String) -> String {
        let body = text.split(separator: "\n").joined(separator: " ").unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\e"
            case "-": "\\-"
            case "\"": "\\(dq"
            case "'": "\\(aq"
            case "`": "\\(ga"
            case "^": "\\(ha"
            case "~": "\\(ti"
            case _ where !scalar.isASCII:
                "\\[u" + String(repeating: "0", count: max(0, 4 - hexadecimal(scalar).count)) + hexadecimal(scalar)
                    + "]"
            default: String(scalar)
            }
        }.joined()
        return body.first == "." ? "\\&" + body : body
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        String(scalar.value, radix: 16, uppercase: true)
    }
}
