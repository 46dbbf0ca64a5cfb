// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernTesting
import TestPrograms
import Testing

@testable import TernCLI

/// `tern events`, as its users call it.
@Suite(.timeLimit(.minutes(5))) struct EventsCommandTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

    @Test func `prints events as they are written, and takes the stream up again until the server has had enough`()
        async throws
    {
        let origin = try ScriptedOrigin { connection, _ in
            switch connection {
            case 1: [.send(Self.head + ": hi\nretry: 1\nevent: add\nid: 7\ndata: one\ndata: two\n\n"), .close]
            case 2: [.send(Self.head + "data:\n\n"), .close]
            default: [.respond(status: 204)]
            }
        }
        let result = try await TernTool.run("events", origin.url(), "-H", "X-Test: a")
        #expect(result.text == "event: add\nid: 7\ndata: one\ndata: two\n\nid: 7\ndata: \n\n")
        #expect(result.status == 0 && result.errors.isEmpty)
        #expect(origin.requests.map { $0.value(of: "Last-Event-ID") } == [nil, "7", "7"])
        #expect(
            origin.requests.allSatisfy {
                $0.value(of: "X-Test") == "a" && $0.value(of: "Accept") == "text/event-stream"
            })
    }

    @Test func `--report-json prints an object on each line, with every byte of text`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send(Self.head + "data: a\u{1B}[2Jb\ndata: \u{E9}\n\nevent: x\nid: 1\ndata: {}\n\n"), .close]
        }
        let result = try await TernTool.run("events", "--report-json", "--no-reconnect", origin.url())
        let lines = result.text.split(separator: "\n")
        let objects = try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String] }
        #expect(
            objects == [
                ["data": "a\u{1B}[2Jb\n\u{E9}", "event": "message", "id": ""], ["data": "{}", "event": "x", "id": "1"],
            ])
        #expect(!result.output.contains(0x1B))
        #expect(result.status == 0)
    }

    @Test func `events come through a proxy, and from the address that --resolve names`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.send(Self.head + "data: x\n\n"), .close] }
        let proxy = try ScriptedProxy { _ in origin.port }
        let through = try await TernTool.run("events", "--no-reconnect", "-x", proxy.url(), "http://events.test/")
        #expect(through.text == "data: x\n\n" && through.status == 0, "\(through.errors)")
        #expect(proxy.requests.count == 1)
        let place = "events.test:\(origin.port)"
        let direct = try await TernTool.run(
            "events", "--no-reconnect", "--resolve", "\(place):127.0.0.1", "http://\(place)/")
        #expect(direct.text == "data: x\n\n" && direct.status == 0, "\(direct.errors)")
        #expect(origin.requests.last?.value(of: "Host") == place)
    }

    @Test func `an answer to a question is followed, with the options of any request`() async throws {
        let folder = try TemporaryFolder()
        let origin = try ScriptedOrigin { _, _ in [.send(Self.head + "data: {\"word\": 1}\n\n"), .close] }
        let config = try folder.write("header = \"X-Key: k\"\n", to: "config")
        let jar = folder.url.appending(path: "jar").path
        let result = try await TernTool.run(
            "events", "--json", "{\"stream\": true}", "-K", config, "-b", "a=1", "-c", jar, "-v", "--url-query", "q=x",
            origin.url("/chat"))
        #expect(result.status == 0 && result.text == "data: {\"word\": 1}\n\n", "\(result.errors)")
        let request = try #require(origin.requests.first)
        #expect(request.method == "POST" && request.target == "/chat?q=x" && request.bodyText == "{\"stream\": true}")
        #expect(request.value(of: "Content-Type") == "application/json" && request.value(of: "X-Key") == "k")
        #expect(request.value(of: "Cookie") == "a=1")
        #expect(result.errors.contains("> POST /chat?q=x HTTP/1.1") && result.errors.contains("< HTTP/1.1 200 OK"))
        #expect(FileManager.default.fileExists(atPath: jar))
        // Another POST could have a second effect.
        #expect(origin.requests.count == 1)
        let several = try await TernTool.run("events", origin.url("/{a,b}"))
        #expect(several.status == 2 && several.errors.contains("several URLs"), "\(several.errors)")
    }

    @Test func `what a peer says never steers a terminal`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send(Self.head + "event: \u{1B}]0;x\u{7}\nid: \u{9B}2J\ndata: \u{1B}[31mred\u{202E}\n\n"), .close]
        }
        let result = try await TernTool.run("events", "--no-reconnect", origin.url())
        #expect(
            result.text.unicodeScalars.allSatisfy {
                $0 == "\n" || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
            })
        #expect(result.text.contains("\\u001b[31mred\\u202e"))
    }

    @Test func `what is no stream of events, or breaks off, has curl's exit code and says why`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/text"
                ? [.ok("hello")]
                : [
                    .send(
                        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 99\r\n\r\ndata: x\n\n"),
                    .close,
                ]
        }
        let text = try await TernTool.run("events", origin.url("/text"))
        #expect(text.status == 8 && text.output.isEmpty)
        #expect(text.errors.contains(", not text/event-stream"))
        let broken = try await TernTool.run("events", "--no-reconnect", origin.url("/broken"))
        #expect(broken.status == 18 && broken.text == "data: x\n\n")
        #expect(broken.errors.contains("closed the connection"))
    }

    @Test func `--max-time ends what does not end`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.send(Self.head + "data: x\n\n"), .awaitClose] }
        let result = try await TernTool.run("events", "-m", "0.5", origin.url())
        #expect(result.status == 28)
        #expect(result.errors == "tern: (28) the time limit of 0.5 s passed (--max-time)\n")
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `an interruption is an orderly end`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.send(Self.head + "data: x\n\n"), .awaitClose] }
        let output = LineLog()
        let program = try TestProgram(
            [TernTool.executable.path, "events", origin.url()], environment: TernTool.environment, limit: .seconds(60),
            output: output.append)
        #expect(await output.waitFor { $0 == ["data: x", ""] })
        program.send(SIGINT)
        #expect(await program.ending() == .exited(0))
        #expect(output.lines == ["data: x", ""])
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test(arguments: [
        ["-m", "-1"], ["--pin", "x"], ["--max-event-size", "x"], ["-H", "nonsense"], ["--sensitive", "X-Key"],
    ])
    func `wrong usage exits 2`(options: [String]) async throws {
        let result = try await TernTool.run(["events", "http://127.0.0.1:1/"] + options)
        #expect(result.status == 2)
    }
}

@Suite struct EventTextTests {
    private func text(_ event: ServerSentEvent, isJSON: Bool = false) throws -> String {
        try EventText.text(of: event, isJSON: isJSON)
    }

    @Test func `an event is printed as a stream writes it, without what is usual`() throws {
        #expect(try text(ServerSentEvent(event: "message", data: "a", id: "")) == "data: a\n")
        #expect(
            try text(ServerSentEvent(event: "tick", data: "a\nb\n", id: "7"))
                == "event: tick\nid: 7\ndata: a\ndata: b\ndata: \n")
        #expect(try text(ServerSentEvent(event: "message", data: "", id: "")) == "data: \n")
    }

    @Test func `as JSON it is one line with each field`() throws {
        #expect(
            try text(ServerSentEvent(event: "message", data: "a\n\"b\"/", id: ""), isJSON: true)
                == #"{"data":"a\n\"b\"/","event":"message","id":""}"#)
    }
}
