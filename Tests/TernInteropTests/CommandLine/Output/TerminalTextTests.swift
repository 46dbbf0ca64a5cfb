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

    @Test func `--report-json escapes what would steer, and means the same`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(fields: [("X-Evil", "a\u{9b}2J\u{202e}b")], body: "x")]
        }
        let result = try await TernTool.run("get", "--report-json", origin.url("/"))
        #expect(!result.text.unicodeScalars.contains { [0x9b, 0x202e].contains($0.value) })
        let headers = try #require(try result.object()["headers"] as? [[String]])
        #expect(headers.contains(["X-Evil", "a\u{9b}2J\u{202e}b"]))
    }
}

@Suite struct TerminalBytesTests {
    @Test(
        "text passes, in whatever language and however it is cut",
        arguments: [
            "", "plain\ttext\r\n", "gr\u{fc}n, \u{1F469}\u{200D}\u{1F4BB}, \u{5b57}\u{a0}\u{2028}",
            "\u{7fa}\u{9b}".prefix(1) + "x",
        ])
    func text(text: String) {
        for split in 0...text.utf8.count {
            var bytes = TerminalBytes()
            #expect(bytes.firstControl(in: Array(text.utf8.prefix(split))) == nil)
            #expect(bytes.firstControl(in: Array(text.utf8.dropFirst(split))) == nil)
        }
    }

    @Test(
        "what a terminal obeys is found, with its place",
        arguments: [
            ([0x61, 0x1B, 0x5B], 1), ([0x00], 0), ([0x07], 0), ([0x61, 0x62, 0x7F], 2), ([0x9B, 0x41], 0),
            ([0xC2, 0x9B], 1), ([0xC0, 0x9B], 1), ([0xE0, 0x82, 0x9B], 1), ([0xF0, 0x80, 0x82, 0x9B], 1),
            ([0xC3, 0x1B], 1), ([0x08], 0), ([0x0C], 0), ([0xE2, 0x82, 0xAC, 0x85], 3),
        ] as [([UInt8], Int)])
    func controls(bytes: [UInt8], place: Int) {
        var whole = TerminalBytes()
        #expect(whole.firstControl(in: bytes) == place)
        var single = TerminalBytes()
        #expect(bytes.firstIndex { single.firstControl(in: [$0]) != nil } == place)
    }
}
