// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

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
