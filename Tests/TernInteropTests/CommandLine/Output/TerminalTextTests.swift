// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing

@testable import TernCLI

/// What a peer sends never controls the user's terminal.
@Suite struct TerminalTextTests {
    @Test func `steering characters are escaped as JSON escapes them, ends of lines stay`() {
        #expect(
            TerminalText.cleaned("a\u{1b}[2J\nb\u{9b}\u{202e}\u{7f}\r\n\u{e0001}")
                == "a\\u001b[2J\nb\\u009b\\u202e\\u007f\\u000d\n\\udb40\\udc01")
        #expect(TerminalText.cleaned("gr\u{fc}n \u{b5}s\n") == "gr\u{fc}n \u{b5}s\n")
    }

    @Test func `no byte of a head or of trailers reaches standard error as it came`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [
                .send(
                    "HTTP/1.1 200 \u{9b}31m\u{202e}\r\nX-Evil: a\u{9b}2Jb\u{200f}\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "2\r\nhi\r\n0\r\nX-Late: \u{9b}1m\r\n\r\n")
            ]
        }
        let result = try await TernTool.run("get", "-v", origin.url("/"))
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("X-Evil: a"))
        #expect(result.errors.contains("X-Late: "))
        #expect(!result.errors.unicodeScalars.contains { [0x9b, 0x202e, 0x200f, 0x1b].contains($0.value) })
    }

    @Test func `--json escapes what would steer, and means the same`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(fields: [("X-Evil", "a\u{9b}2J\u{202e}b")], body: "x")]
        }
        let result = try await TernTool.run("get", "--json", origin.url("/"))
        #expect(!result.text.unicodeScalars.contains { [0x9b, 0x202e].contains($0.value) })
        let headers = try #require(try result.object()["headers"] as? [[String]])
        #expect(headers.contains(["X-Evil", "a\u{9b}2J\u{202e}b"]))
    }
}
