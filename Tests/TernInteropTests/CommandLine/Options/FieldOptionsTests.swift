// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import Testing

@testable import TernCLI

/// The options about header fields, which all commands that send requests share.
@Suite(.timeLimit(.minutes(5))) struct FieldOptionsTests {
    @Test(
        "what is said to be sensitive stays at its origin, whatever the command",
        arguments: [
            "events --no-reconnect -L URL", "get -L URL", "head -L URL", "post -L -d x URL", "put -L -d x URL",
            "patch -L -d x URL", "delete -L URL", "request -L -X REPORT URL", "upload -L /etc/passwd URL",
            "download -o - URL",
        ])
    func sensitive(arguments: String) async throws {
        let elsewhere = try ScriptedOrigin { _, _ in [.respond(fields: [("Content-Type", "text/event-stream")])] }
        let url = elsewhere.url("/")
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 307, fields: [("Location", url)])] }
        let words = arguments.split(separator: " ").map { $0 == "URL" ? origin.url("/") : String($0) }
        let result = try await TernTool.run(
            words + ["-H", "X-Key: a", "-H", "X-Name: b", "--sensitive", "x-key"])
        #expect(result.status == 0, "\(result.errors)")
        #expect(origin.requests.map { $0.value(of: "X-Key") } == ["a"])
        #expect(elsewhere.requests.map { $0.value(of: "X-Key") } == [nil])
        #expect(elsewhere.requests.map { $0.value(of: "X-Name") } == ["b"])
    }

    @Test(
        "fields and credentials are sent, and options without effect accepted, whatever the command",
        arguments: [
            "events --no-reconnect URL", "get URL", "head URL", "post -d x URL", "request -X REPORT URL",
            "upload /etc/passwd URL", "download -o - URL",
        ])
    func sent(arguments: String) async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(fields: [("Content-Type", "text/event-stream")])] }
        let words = arguments.split(separator: " ").map { $0 == "URL" ? origin.url("/") : String($0) }
        let result = try await TernTool.run(
            words + [
                "-H", "X-One: 1", "-H", "Accept-Language:", "-A", "me", "-e", "http://from.test/", "-u", "a:b", "-qN#",
                "--http1.1",
            ])
        #expect(result.status == 0, "\(result.errors)")
        let request = try #require(origin.requests.first)
        let fields = ["X-One", "User-Agent", "Referer", "Authorization", "Accept-Language"]
        #expect(fields.map(request.value(of:)) == ["1", "me", "http://from.test/", "Basic YTpi", nil])
    }
}

@Suite struct HeaderOptionTests {
    @Test(arguments: [
        ("A: b", "A", "b"), ("A:b", "A", "b"), ("A: \t b \t", "A", "b"), ("A: b:c", "A", "b:c"), ("A;", "A", ""),
        ("A: ;", "A", ";"),
    ])
    func `a field has a name and a value`(text: String, name: String, value: String) throws {
        guard case .add(let field)? = try HeaderOption(text, of: "-H") else {
            Issue.record("\(text)")
            return
        }
        #expect(field == HeaderField(name: name, value: value))
    }

    @Test func `a file has a field on each line, whatever ends it`() {
        #expect(
            HeaderOption.all(in: Data("A: b\r\n\n# X: y\nnone\nC: d\u{2028}e\u{85}f\nB:\nD;\n".utf8)).map(\.name)
                == ["A", "C", "B", "D"])
        #expect(HeaderOption.all(in: Data()).isEmpty)
    }

    @Test(arguments: ["A:", "A: ", "A: \t"]) func `a field without a value is removed`(text: String) throws {
        guard case .remove("A")? = try HeaderOption(text, of: "-H") else {
            Issue.record("\(text)")
            return
        }
    }

    @Test(arguments: ["A", "A b"]) func `a text without a colon is refused`(text: String) throws {
        #expect(throws: (any Error).self) { try HeaderOption(text, of: "-H") }
        #expect(try HeaderOption("", of: "-H") == nil && HeaderOption(" \t", of: "-H") == nil)
    }

    @Test(arguments: [
        ("Transfer-Encoding: chunked", true), ("transfer-encoding:CHUNKED", true), ("Transfer-Encoding: gzip", false),
        ("Transfer-Encoding:", false), ("X: chunked", false),
    ])
    func `chunks are asked for by one field`(text: String, asks: Bool) throws {
        #expect(try HeaderOption(text, of: "-H")?.asksForChunks == asks)
    }

    @Test func `a field that is removed is left out of what is added, and is never Host`() throws {
        let given = try FieldOptions.parse(["-H", "User-agent:", "-H", "X: y", "-H", "X: z"]).given()
        #expect(given.compactMap(\.omittedName) == ["user-agent"])
        #expect(given.compactMap(\.added) == [HeaderField(name: "X", value: "y"), HeaderField(name: "X", value: "z")])
        #expect(throws: (any Error).self) { try FieldOptions.parse(["-H", "Host:"]).given() }
    }
}
