// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestPrograms
import Testing

@testable import TernCLI

/// What is made of the table of options: help, completions, the manual.
@Suite struct PrintedFromTableTests {
    @Test(
        "the help names every option of its command, and its lines fit a terminal",
        arguments: [
            "", "get", "request", "download", "upload", "events", "trust", "trust pins", "trust evaluate", "bench",
            "demo",
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
        for name in called.descriptions.flatMap(\.names) { #expect(result.text.contains(name)) }
    }

    @Test func `a command that only has commands, called alone, shows them`() async throws {
        let result = try await TernTool.run("trust")
        #expect(result.status == 0 && result.text.contains("SUBCOMMANDS:\n  pins "))
        #expect(try await TernTool.run("trust", "nonsense").status == 2)
    }

    @Test(
        "bash completes commands, and the options of the command that is called",
        arguments: [
            (["tern", "do"], "download"), (["tern", "get", "--outp"], "--output --output-dir"),
            (["tern", "trust", "ev"], "evaluate"), (["tern", "trust", "pins", "--an"], "--anchors"),
            (["tern", "bench", "--thr"], "--threads"), (["tern", "--retry-d"], "--retry-delay"),
            (["tern", "http://a/", "--retry-d"], "--retry-delay"), (["tern", "download", "-m", ""], ""),
            (["tern", "download", "-o", "file-"], "file-1"),
        ])
    func bash(words: [String], expected: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "file-1")
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
        let macros: Set = [".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".br"]
        for line in text.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(macros.contains(String(line.prefix { $0 != " " })), "\(line)")
        }
    }
}
