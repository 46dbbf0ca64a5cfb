// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestPrograms
import Testing

@testable import TernCLI

/// What is made of the table of options: help, completions, the manual.
@Suite struct PrintedFromTableTests {
    @Test(
        "the help of all names every option of its command, and the lines of the help fit a terminal",
        arguments: [
            "", "get", "request", "download", "upload", "events", "ws", "trust", "trust pins", "trust evaluate",
            "bench", "demo",
        ])
    func help(command: String) async throws {
        let words = command.split(separator: " ").map(String.init)
        let result = try await TernTool.run(words + ["--help"])
        #expect(result.status == 0 && result.errors.isEmpty)
        #expect(result.text.hasPrefix("OVERVIEW: ") && result.text.contains("USAGE: tern"))
        let long = result.text.split(separator: "\n").filter { $0.count > 80 && !$0.contains("--abstract-unix") }
        #expect(long.isEmpty)
        #expect(try await TernTool.run(["help"] + words).text == result.text)
        let called = words.reduce(RootCommand.self as any ToolCommand.Type) { command, word in
            command.subcommands.first { $0.name == word } ?? command
        }
        let all = try await TernTool.run(words.isEmpty ? ["--generate-manual"] : words + ["--help", "all"]).text
            .replacing("\\-", with: "-").split(separator: "\n")
        for name in called.descriptions.flatMap(\.names) {
            #expect(all.contains { $0.contains(name) }, "\(name)")
        }
    }

    @Test(arguments: ["get", "post", "download", "upload", "events", "ws"])
    func `the help of a command with many options fits a screen, examples first`(command: String) async throws {
        let text = try await TernTool.run(command, "--help").text
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 32, "\(text)")
        let (examples, options) = (text.firstRange(of: "EXAMPLES:"), text.firstRange(of: "OPTIONS:"))
        #expect(try #require(examples).lowerBound < #require(options).lowerBound)
        let all = try await TernTool.run(command, "--help", "all").text
        #expect(all.contains("EXIT CODES:") && all.hasSuffix("\(ExitStatus.clientCertificateRequired.cause)\n"))
    }

    @Test func `every option of the short help is one, and --help tells all about an option or a category`()
        async throws
    {
        let usages = DescribedOption.all.flatMap { option in
            option.description.names.map { $0 + (option.description.value.map { " <\($0)>" } ?? "") }
        }
        for essential in HelpText.essentials { #expect(usages.contains(essential.usage), "\(essential.usage)") }
        let retry = try await TernTool.run("get", "--help", "--retry").text
        #expect(try await TernTool.run("help", "get", "retry").text == retry && retry.hasPrefix("  --retry <number> "))
        let trust = try await TernTool.run("--help", "trust").text
        #expect(trust.hasPrefix("TRUST:\n") && trust.contains("--cacert") && !trust.contains("--retry"))
    }

    @Test func `examples in the help use options that it shows`() {
        for command in RootCommand.subcommands where command.endsLikeCurl {
            let text = HelpText.text(of: command, path: "tern \(command.name)")
            let options = text.split(separator: "OPTIONS:").last ?? ""
            for word in command.examples.flatMap({ $0.split(separator: " ") }) where word.count > 1 && word.first == "-"
            {
                #expect(options.contains(" \(word),") || options.contains(" \(word) "), "\(command.name): \(word)")
            }
        }
    }

    @Test func `a command that only has commands, called alone, shows them`() async throws {
        let result = try await TernTool.run("trust")
        #expect(result.status == 2 && result.errors.contains("SUBCOMMANDS:\n  pins "))
        #expect(try await TernTool.run("trust", "nonsense").status == 2)
    }

    @Test(
        "bash completes commands, and the options of the command that is called",
        arguments: [
            (["tern", "do"], "download"), (["tern", "get", "--outp"], "--output --output-dir"),
            (["tern", "trust", "ev"], "evaluate"), (["tern", "trust", "pins", "--an"], "--anchors"),
            (["tern", "bench", "--thr"], "--threads"), (["tern", "--retry-d"], "--retry-delay"),
            (["tern", "http://a/", "--retry-d"], "--retry-delay"), (["tern", "download", "-m", ""], ""),
            (["tern", "download", "-o", "file-"], "file-1"), (["tern", "get", "--cache", "fo"], "folder"),
            (["tern", "get", "--tls-max", ""], "1.2 1.3 default"), (["tern", "--tls-max", "=", "1."], "1.2 1.3"),
            (["tern", "--egress", "="], "public machine none"),
            (["tern", "get", "--tlsv1."], "--tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3"),
            (["tern", "--generate-completion-script", ""], "bash zsh fish"), (["tern", "help", "tr"], "trust"),
            (["tern", "help", "trust", ""], "pins evaluate explain check watch schema logs"),
            (["tern", "request", "-X", "P"], "POST PUT PATCH"),
            (["tern", "upload", "--request", "PA"], "PATCH"), (["tern", "get", "--cert-type", "D"], "DER"),
            (["tern", "trust", "evaluate", "--profile", ""], "standard web"),
            (["tern", "get", "--help", "tr"], "trust"),
            (["tern", "get", "--pinnedpubkey", "fi"], "file-1"), (["tern", "get", "-u", "fi"], ""),
        ])
    func bash(words: [String], expected: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "file-1")
        let inner = folder.url.appending(path: "folder")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        let script = """
            cd \(folder.url.path); source <("$1" --generate-completion-script bash)
            shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tern; echo "${COMPREPLY[*]}"
            """
        let result = try await Command.run(
            ["bash", "-c", script, "bash", try TernTool.executable.path] + words, environment: TernTool.environment)
        #expect(result.output == expected + "\n", "\(result.errors)")
    }

    @Test(arguments: ["zsh", "fish"]) func `other shells get a script with every option`(shell: String) async throws {
        let result = try await TernTool.run("--generate-completion-script", shell)
        #expect(result.status == 0)
        for option in RunOptions.descriptions.flatMap(\.names) where option.hasPrefix("--") {
            let name = shell == "fish" ? "-l \(option.dropFirst(2))" : option
            #expect(result.text.contains(name), "\(option)")
        }
        #expect(try await TernTool.run("--generate-completion-script", "csh").status == 2)
    }

    @Test func `the manual has every option of every command, and no line that roff would swallow`() async throws {
        let text = try await TernTool.run("--generate-manual").text
        #expect(text.hasPrefix(".TH TERN 1 "))
        for option in DescribedOption.all.flatMap(\.description.names) {
            #expect(text.contains(option.map { $0 == "-" ? "\\-" : String($0) }.joined()), "\(option)")
        }
        let macros: Set = [".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".BR", ".br", ".nf", ".fi"]
        for line in text.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(macros.contains(String(line.prefix { $0 != " " })), "\(line)")
        }
    }

    @Test func `the manual has all sections, says a shared option once, and satisfies groff`() async throws {
        let folder = try TemporaryFolder()
        let text = try await TernTool.run("--generate-manual").text
        let titles = text.split(separator: "\n").filter { $0.hasPrefix(".SH ") }.map { String($0.dropFirst(4)) }
        for title in ["EXAMPLES", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"] { #expect(titles.contains(title)) }
        #expect(text.utf8.allSatisfy { $0 < 0x80 } && text.hasPrefix(".TH TERN 1 \"2"))
        #expect(text.ranges(of: "\n.B \\-\\-cacert ").count == 1 && text.ranges(of: "\n.B \\-H, ").count == 1)
        let file = try folder.write(text, to: "tern.1")
        let groff = try await Command.run(
            ["groff", "-man", "-ww", "-Tutf8", "-z", file], environment: TernTool.environment)
        #expect(groff.errors.isEmpty && groff.output.isEmpty, "\(groff.errors)")
    }
}
