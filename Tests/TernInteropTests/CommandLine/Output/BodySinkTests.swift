// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing
import TestPrograms

/// Bodies on a terminal, of which `script` makes one.
@Suite struct BodySinkTests {
    private func onTerminal(_ arguments: String) async throws -> Command.Result {
        let tool = try TernTool.executable.path
        return try await Command.run(
            ["script", "-qec", "'\(tool)' \(arguments)", "/dev/null"], environment: TernTool.environment)
    }

    @Test func `a body that steers is not shown on a terminal, unless it is asked for`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("before \u{1b}]0;owned\u{7}")] }
        let refused = try await onTerminal("get \(origin.url("/"))")
        #expect(refused.status == 23)
        #expect(refused.output.contains("mess up your terminal"))
        #expect(!refused.output.contains("\u{1b}"))
        for choice in ["-o -", "-o /dev/stdout"] {
            let shown = try await onTerminal("get \(choice) \(origin.url("/"))")
            #expect(shown.status == 0)
            #expect(shown.output.contains("\u{1b}]0;owned"))
        }
        let piped = try await TernTool.run("get", origin.url("/"))
        #expect(piped.status == 0)
        #expect(piped.text == "before \u{1b}]0;owned\u{7}")
    }

    @Test func `text is shown on a terminal`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("gr\u{fc}n\tund\ngut")] }
        let shown = try await onTerminal("get \(origin.url("/"))")
        #expect(shown.status == 0)
        #expect(shown.output.contains("gr\u{fc}n\tund"))
    }
}
