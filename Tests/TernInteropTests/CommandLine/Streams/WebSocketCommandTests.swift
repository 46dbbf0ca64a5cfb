// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestPrograms
import Testing

@testable import TernCLI

/// `tern ws`, as its users call it.
@Suite(.timeLimit(.minutes(5))) struct WebSocketCommandTests {
    /// The command, with an input of its own.
    private struct Call {
        private final class Collected: Sendable {
            private let state = Lock(Data())
            var bytes: Data { state.withLock { $0 } }
            func append(_ more: Data) { state.withLock { $0.append(more) } }
        }

        let lines: LineLog
        let program: TestProgram
        private let output: Collected
        private let errors: Collected

        init(_ arguments: String...) throws { try self.init(arguments) }

        init(_ arguments: [String]) throws {
            let (lines, output, errors) = (LineLog(), Collected(), Collected())
            program = try TestProgram(
                [TernTool.executable.path, "ws"] + arguments, environment: TernTool.environment, input: .pipe,
                limit: .seconds(60),
                output: {
                    output.append($0)
                    lines.append($0)
                }, errors: errors.append)
            (self.lines, self.output, self.errors) = (lines, output, errors)
        }

        func result() async -> TernTool.Result {
            let status: Int32 = if case .exited(let status) = await program.ending() { status } else { -1 }
            return TernTool.Result(
                status: status, output: output.bytes, errors: String(decoding: errors.bytes, as: UTF8.self))
        }
    }

    /// Runs it with this input to its end.
    private func run(_ arguments: String..., input: Data = Data()) async throws -> TernTool.Result {
        let call = try Call(arguments)
        try await call.program.write(input)
        call.program.closeInput()
        return await call.result()
    }

    @Test func `sends each line as a text, writes each text as a line, and closes at the end of its input`()
        async throws
    {
        let server = try ScriptedWebSocketServer()
        let result = try await run(server.url("/chat?a=b"), input: Data("a\n\nb\u{E9}\nlast".utf8))
        #expect(result.text == "a\n\nb\u{E9}\nlast\n")
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        let socket = try #require(server.webSockets.first)
        #expect(socket.messages.map(\.text) == ["a", "", "b\u{E9}", "last"])
        #expect(socket.request.target == "/chat?a=b" && socket.violations.isEmpty)
        #expect(socket.close == ReceivedClose(code: 1000))
    }

    @Test func `a message is there as soon as it has come, and a line is sent as soon as it is there`() async throws {
        let server = try ScriptedWebSocketServer()
        let call = try Call(server.url())
        for word in ["one", "two"] {
            try await call.program.write(Data((word + "\n").utf8))
            #expect(await call.lines.waitFor { $0.last == word })
        }
        call.program.closeInput()
        #expect(await call.result().status == 0)
    }

    @Test(arguments: ["ws://", "WS://", "http://", ""]) func `a URL may have the scheme of HTTP, or none`(
        scheme: String
    ) async throws {
        let server = try ScriptedWebSocketServer()
        let result = try await run(scheme + server.url().dropFirst("ws://".count), input: Data("x\n".utf8))
        #expect(result.text == "x\n" && result.status == 0, "\(result.errors)")
    }

    @Test func `--binary sends what it reads, and a binary message is written as it is`() async throws {
        let server = try ScriptedWebSocketServer()
        let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) })
        let result = try await run("--binary", server.url(), input: bytes)
        #expect(result.output == bytes && result.status == 0, "\(result.errors)")
        let messages = try #require(server.webSockets.first).messages
        #expect(messages.allSatisfy { $0.opcode == .binary && $0.payload.count <= 64 * 1024 })
    }

    @Test func `a line that is not UTF-8 ends the command with its number, and is not sent`() async throws {
        let server = try ScriptedWebSocketServer()
        let call = try Call(server.url())
        try await call.program.write(Data("fine\n".utf8) + [0xC3, 0x28, 0x0A])
        let result = await call.result()
        #expect(result.status == 26)
        #expect(
            result.errors
                == "tern: (26) line 2 of standard input is not UTF-8: --binary sends bytes as they are\n")
        #expect(await server.waitFor { $0.webSockets.first?.close?.code == 1001 })
        #expect(server.webSockets.first?.messages.map(\.text) == ["fine"])
    }

    @Test(arguments: [(1000, 0), (1001, 0), (nil, 0), (1011, 56), (4000, 56)] as [(UInt16?, Int32)])
    func `a close by the server ends the command, which says why`(code: UInt16?, status: Int32) async throws {
        let reason = code == nil ? "" : "so it is"
        let server = try ScriptedWebSocketServer(
            script: WebSocketScript(onOpen: [.text("hi"), .close(code, reason: reason)]))
        // Its input does not end.
        let call = try Call(server.url())
        let result = await call.result()
        #expect(result.text == "hi\n" && result.status == status)
        let line = "tern: (56) the server closed the WebSocket: \(code ?? 0) (so it is)\n"
        #expect(result.errors == (status == 0 ? "" : line))
    }

    @Test func `a connection that ends without a close is a failure`() async throws {
        let server = try ScriptedWebSocketServer(script: WebSocketScript(onOpen: [.text("hi"), .hangUp]))
        let result = await (try Call(server.url())).result()
        #expect(result.text == "hi\n" && result.status == 56)
        #expect(result.errors.contains("without a close frame"), "\(result.errors)")
    }

    @Test func `with --wait it goes on when its input has ended, until the server closes`() async throws {
        let script = WebSocketScript { _, _ in [.slowly(.text("late"), every: .milliseconds(20)), .close(1000)] }
        let server = try ScriptedWebSocketServer(script: script)
        let result = try await run("--wait", server.url(), input: Data("x\n".utf8))
        #expect(result.text == "late\n" && result.status == 0, "\(result.errors)")
    }

    @Test func `the handshake has the options of any request, and -v shows it and the size of messages`() async throws {
        let server = try ScriptedWebSocketServer(handshake: { _, _ in .accept(subprotocol: "v1") })
        let result = try await run(
            "-v", "-H", "X-Key: k", "-A", "me", "-u", "ada:secret", "-b", "a=1", "--subprotocol", "v2", "--subprotocol",
            "v1", server.url("/chat"), input: Data("four\n".utf8))
        #expect(result.text == "four\n" && result.status == 0, "\(result.errors)")
        let request = try #require(server.webSockets.first).request
        #expect(request.value(of: "X-Key") == "k" && request.value(of: "User-Agent") == "me")
        #expect(request.value(of: "Cookie") == "a=1" && request.value(of: "Authorization") == "Basic YWRhOnNlY3JldA==")
        #expect(request.value(of: "Sec-WebSocket-Protocol") == "v2, v1")
        let lines = result.errors.split(separator: "\n").map(String.init)
        for line in [
            "> GET /chat HTTP/1.1", "< HTTP/1.1 101 Switching Protocols", "< Sec-WebSocket-Protocol: v1",
            "* sent a text of 4 bytes", "* received a text of 4 bytes", "* the WebSocket is closed: 1000",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(!result.errors.contains("YWRhOnNlY3JldA"))
    }

    @Test func `--compress offers compression, and uses it if the server agrees`() async throws {
        var script = WebSocketScript()
        script.reservedBits = 4
        let server = try ScriptedWebSocketServer(
            script: script, handshake: { _, _ in .accept(extensions: "permessage-deflate") })
        let line = String(repeating: "a", count: 10_000)
        let result = try await run("--compress", server.url(), input: Data(line.utf8))
        #expect(result.text == line + "\n" && result.status == 0, "\(result.errors)")
        let message = try #require(server.webSockets.first?.messages.first)
        #expect(message.reserved == 4 && message.payload.count < 100)
    }

    @Test func `what opens no WebSocket has curl's exit code and says why`() async throws {
        let server = try ScriptedWebSocketServer(handshake: { _, request in
            switch request.target {
            case "/key": .acceptKey("x")
            case "/moved": .respond([.respond(status: 302, fields: [(name: "Location", value: "/there")])])
            case "/there": .accept()
            default: .respond([.respond(status: 404)])
            }
        })
        let failures: [(String, Int32, String)] = [
            ("/", 22, "its answer is 404"), ("/moved", 8, "its answer is 302"), ("/key", 8, "Sec-WebSocket-Accept"),
        ]
        for (path, status, part) in failures {
            let result = try await run(server.url(path))
            #expect(result.status == status && result.errors.contains(part), "\(result.errors)")
        }
        #expect(try await run("-L", server.url("/moved")).status == 0)
        #expect(try await run("ws://127.0.0.1:1/").status == 7)
    }

    @Test func `an interruption closes the WebSocket, and is an orderly end`() async throws {
        let server = try ScriptedWebSocketServer(script: WebSocketScript(onOpen: [.text("x")]))
        let call = try Call(server.url())
        #expect(await call.lines.waitFor { $0 == ["x"] })
        call.program.send(SIGINT)
        #expect(await call.result().status == 0)
        #expect(await server.waitFor { $0.webSockets.first?.close?.code == 1001 })
    }

    @Test func `--max-time ends what does not end`() async throws {
        let server = try ScriptedWebSocketServer()
        let result = await (try Call("-m", "0.5", server.url())).result()
        #expect(result.status == 28)
        #expect(result.errors == "tern: (28) the time limit of 0.5 s passed (--max-time)\n")
        #expect(await server.waitFor { $0.webSockets.first?.close?.code == 1001 })
    }

    @Test func `a message beyond --max-message is a failure`() async throws {
        let server = try ScriptedWebSocketServer(
            script: WebSocketScript(onOpen: [.text("12345678"), .text("123456789")]))
        let result = await (try Call("--max-message", "8", server.url())).result()
        #expect(result.text == "12345678\n" && result.status == 63, "\(result.errors)")
        #expect(await server.waitFor { $0.webSockets.first?.close?.code == 1009 })
    }

    @Test func `output that nobody reads any more ends the command`() async throws {
        let texts = Array(repeating: WebSocketStep.text(String(repeating: "x", count: 10_000)), count: 100)
        let server = try ScriptedWebSocketServer(script: WebSocketScript(onOpen: texts))
        let tool = try TernTool.executable.path
        let line = #""$0" ws --wait "$1" </dev/null | head -c 3; echo " ${PIPESTATUS[0]}""#
        let result = try await Command.run(
            ["bash", "-c", line, tool, server.url()], environment: TernTool.environment)
        #expect(result.output == "xxx \(ExitStatus.unwritable.rawValue)\n", "\(result.errors)")
        #expect(await server.waitFor { $0.openConnections == 0 })
    }

    @Test func `what a server sends never steers a terminal, unless --binary says so`() async throws {
        let server = try ScriptedWebSocketServer(
            script: WebSocketScript(onOpen: [.text("\u{1B}[2J"), .binary([0x61, 0x1B, 0x5B]), .close(1000)]))
        func onTerminal(_ options: String) async throws -> Command.Result {
            let line = "\(try TernTool.executable.path) ws --wait \(options) \(server.url())"
            return try await Command.run(["script", "-qec", line, "/dev/null"], environment: TernTool.environment)
        }
        let refused = try await onTerminal("")
        #expect(!refused.bytes.contains(0x1B) && refused.output.contains("\\u001b[2J"), "\(refused.output)")
        #expect(refused.status == 23 && refused.output.contains("--binary shows it"), "\(refused.output)")
        let shown = try await onTerminal("--binary")
        #expect(shown.status == 0 && shown.output.hasSuffix("a\u{1B}["), "\(shown.output)")
        // Elsewhere, everything is as it came.
        #expect(await (try Call(server.url())).result().text == "\u{1B}[2J\na\u{1B}[")
    }

    @Test func `an archive has the messages`() async throws {
        let folder = try TemporaryFolder()
        let server = try ScriptedWebSocketServer()
        let file = folder.url.appending(path: "a.har")
        let result = try await run("--har", file.path, server.url(), input: Data("four\n".utf8))
        #expect(result.status == 0, "\(result.errors)")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.ranges(of: "\"_size\":4").count == 2, "\(text)")
    }

    @Test(arguments: [
        ["--ping", "x"], ["--max-message", "x"], ["-d", "x"], ["-H", "nonsense"], ["--sensitive", "X-Key"],
    ])
    func `wrong usage exits 2`(options: [String]) async throws {
        let result = try await TernTool.run(["ws", "ws://127.0.0.1:1/"] + options)
        #expect(result.status == 2, "\(result.errors)")
    }
}

/// `tern ws` and WebSockets of other implementations.
@Suite(.timeLimit(.minutes(5))) struct WebSocketServerTests {
    private static let program = """
        import asyncio, websockets

        async def echo(socket, path=None):
            async for message in socket:
                await socket.send(message)

        async def main():
            async with websockets.serve(echo, "127.0.0.1", 0, subprotocols=["chat"]) as server:
                print("port", server.sockets[0].getsockname()[1], flush=True)
                await asyncio.Future()

        asyncio.run(main())
        """

    /// Sends lines, and closes when their echo has come.
    private func echo(_ arguments: String..., count: Int = 2000) async throws {
        let lines = (1...count).map { "line \($0) \(String(repeating: "\u{E9}", count: $0 % 300))" }
        let output = LineLog()
        let errors = LineLog()
        let program = try TestProgram(
            [TernTool.executable.path, "ws"] + arguments, environment: TernTool.environment, input: .pipe,
            limit: .seconds(60), output: output.append, errors: errors.append)
        try await program.write(Data(lines.map { $0 + "\n" }.joined().utf8))
        #expect(await output.waitFor { $0.count == lines.count })
        program.closeInput()
        #expect(await program.ending() == .exited(0), "\(errors.lines)")
        #expect(output.lines == lines)
    }

    @Test func `Python's websockets sends everything back, with compression, through nginx and through TLS`()
        async throws
    {
        let folder = try TemporaryFolder()
        // Debian's package is for Debian's Python.
        let process = try ServerProcess(
            "env", ["/usr/bin/python3", "-u", "-c", Self.program], package: "python3-websockets", in: folder.url)
        _ = await process.output.waitFor { $0.contains { $0.hasPrefix("port ") } }
        let line = process.output.lines.first { $0.hasPrefix("port ") }
        let port = try #require(line.flatMap { UInt16($0.dropFirst(5)) }, "\(process.output.lines)")
        try await echo("--subprotocol", "chat", "ws://127.0.0.1:\(port)/")
        try await echo("--compress", "ws://127.0.0.1:\(port)/")
        let nginx = try await NginxServer(
            directives: """
                location / {
                    proxy_pass http://127.0.0.1:\(port);
                    proxy_http_version 1.1;
                    proxy_set_header Upgrade $http_upgrade;
                    proxy_set_header Connection upgrade;
                }
                """)
        try await echo(nginx.url("/"))
        let authority = try folder.write(nginx.authority.certificatePEM, to: "authority.pem")
        try await echo("--cacert", authority, "wss://localhost:\(nginx.securePort)/")
    }

    @Test func `websocketd makes lines of a program of messages`() async throws {
        let folder = try TemporaryFolder()
        let port = try LoopbackPort.free().number
        let process = try ServerProcess(
            "websocketd", ["--address=127.0.0.1", "--port=\(port)", "cat"], package: "websocketd", in: folder.url)
        try await process.waitUntilListening(on: port)
        // It waits for its program to take a line while the program waits for it to take one: the pipes have room for these.
        try await echo("ws://127.0.0.1:\(port)/", count: 200)
    }
}
