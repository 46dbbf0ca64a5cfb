// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

/// A server as a client sees it that writes every byte of its frames itself.
@Suite(.timeLimit(.minutes(1))) struct ScriptedWebSocketTests {
    /// "Hello" as in RFC 6455 §5.7: a text frame with the mask 37 fa 21 3d.
    private let hello: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
    private let close: [UInt8] = [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8]
    private static let request = """
        GET /chat HTTP/1.1\r
        Host: a\r
        Upgrade: WebSocket\r
        Connection: keep-alive, Upgrade\r
        Sec-WebSocket-Version: 13\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
        \r\n
        """

    private func client(of server: ScriptedWebSocketServer, sending bytes: [UInt8] = []) throws -> RawClient {
        let client = try RawClient(port: server.origin.port)
        client.send(Array(Self.request.utf8) + bytes)
        #expect(head(for: client).hasPrefix("HTTP/1.1 101 "))
        return client
    }

    /// Byte by byte, so that the frames after it stay unread.
    private func head(for client: RawClient) -> String {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), let byte = client.receive(1).first { head.append(byte) }
        return String(decoding: head, as: UTF8.self)
    }

    /// What a server sends that takes these steps first, up to its end.
    private func bytes(of steps: [WebSocketStep]) throws -> [UInt8] {
        let server = try ScriptedWebSocketServer(script: WebSocketScript(onOpen: steps + [.hangUp]))
        return try client(of: server).receive(1000)
    }

    /// A whole masked frame with a zero mask, which leaves the payload as it is.
    private func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [first, 0x80 | UInt8(payload.count), 0, 0, 0, 0] + payload
    }

    // Handshakes

    @Test func `a handshake is accepted with the key of RFC 6455`() throws {
        let server = try ScriptedWebSocketServer(handshake: { _, _ in
            .accept(subprotocol: "chat", extensions: "x", fields: [(name: "Set-Cookie", value: "a=b")])
        })
        let client = try RawClient(port: server.origin.port)
        client.send(Self.request)
        #expect(
            head(for: client) == """
                HTTP/1.1 101 Switching Protocols\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r
                Sec-WebSocket-Protocol: chat\r
                Sec-WebSocket-Extensions: x\r
                Set-Cookie: a=b\r
                \r\n
                """)
    }

    @Test(
        arguments: [
            ("GET", "POST"), ("HTTP/1.1", "HTTP/1.0"), ("WebSocket", "h2c"), ("keep-alive, Upgrade", "close"),
            ("13", "8"), ("ZQ==", "ZQ="), ("Sec-WebSocket-Key", "Sec-WebSocket-Kex"),
        ])
    func `an invalid handshake gets a 400, and no WebSocket is observed`(valid: String, invalid: String) throws {
        let server = try ScriptedWebSocketServer()
        let client = try RawClient(port: server.origin.port)
        client.send(Self.request.replacing(valid, with: invalid))
        #expect(head(for: client).hasPrefix("HTTP/1.1 400 "))
        #expect(server.webSockets.isEmpty)
    }

    @Test func `a handshake can be refused, and tried again on the same connection`() throws {
        let server = try ScriptedWebSocketServer(handshake: { _, request in
            request.index == 0 ? .respond([.respond(status: 401)]) : .accept()
        })
        let client = try RawClient(port: server.origin.port)
        client.send(Self.request)
        #expect(head(for: client).hasPrefix("HTTP/1.1 401 "))
        client.send(Self.request)
        #expect(head(for: client).hasPrefix("HTTP/1.1 101 "))
        #expect(server.origin.requests.map(\.target) == ["/chat", "/chat"])
    }

    @Test(arguments: [nil, "wrong"]) func `the accepted key can be wrong or missing`(key: String?) throws {
        let server = try ScriptedWebSocketServer(handshake: { _, _ in .acceptKey(key) })
        let client = try RawClient(port: server.origin.port)
        client.send(Self.request)
        let field = key.map { "Sec-WebSocket-Accept: \($0)\r\n" } ?? ""
        #expect(head(for: client).hasSuffix("Connection: Upgrade\r\n\(field)\r\n"))
    }

    @Test func `an origin opens WebSockets at some paths`() throws {
        let origin = try ScriptedOrigin { _, request in request.target == "/chat" ? .webSocket(request) : [.ok("page")]
        }
        let client = try RawClient(port: origin.port)
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(client.receive(until: "page").hasSuffix("page"))
        client.send(Array(Self.request.utf8) + hello)
        #expect(head(for: client).hasPrefix("HTTP/1.1 101 "))
        #expect(client.receive(7) == [0x81, 5] + "Hello".utf8)
    }

    @Test func `a client that reads the first byte of a handshake is seen as a WebSocket`() throws {
        // More than the buffers of two sockets hold, so that the server still sends it.
        let field = (name: "X-Long", value: String(repeating: "x", count: 20_000_000))
        let server = try ScriptedWebSocketServer(handshake: { _, _ in .accept(fields: [field]) })
        let client = try RawClient(port: server.origin.port)
        client.send(Self.request)
        #expect(client.receive(1) == Array("H".utf8))
        #expect(server.webSockets.map(\.request.target) == ["/chat"])
    }

    @Test func `the URL has the scheme of a WebSocket`() throws {
        let server = try ScriptedWebSocketServer()
        #expect(server.url("/chat") == "ws://127.0.0.1:\(server.origin.port)/chat")
        let secure = try ScriptedWebSocketServer(tls: CertificateAuthority().issue(.localhost))
        #expect(secure.url() == "wss://localhost:\(secure.origin.port)/")
    }

    // Without a script

    @Test func `echoes messages, answers pings, and answers a close with the end`() async throws {
        let server = try ScriptedWebSocketServer()
        let client = try client(of: server, sending: hello)
        client.send(frame(0x02, [1]) + frame(0x89, [7]) + frame(0x80, [2, 3]) + close)
        let answers: [UInt8] = [0x81, 5] + "Hello".utf8 + [0x8A, 1, 7, 0x82, 3, 1, 2, 3, 0x88, 2, 0x03, 0xE8]
        #expect(client.receive(100) == answers)
        #expect(await server.waitFor { $0.webSockets.first?.end == .server })
        let seen = try #require(server.webSockets.first)
        #expect(seen.request.target == "/chat" && seen.frameCount == 5 && seen.messageCount == 2)
        #expect(seen.frames.map(\.mask) == [0x37FA_213D, 0, 0, 0, 0])
        #expect(seen.frames.map(\.isFinal) == [true, false, true, true, true])
        #expect(seen.frames.map(\.opcode) == [.text, .binary, .ping, .continuation, .close])
        #expect(seen.messages.map(\.text) == ["Hello", nil] && seen.messages[1].payload == [1, 2, 3])
        #expect(seen.messages.map(\.fragmentCount) == [1, 2])
        #expect(seen.close == ReceivedClose(code: 1000) && seen.violations.isEmpty)
    }

    @Test func `neither pings nor a close need be answered`() async throws {
        var script = WebSocketScript()
        (script.answersPings, script.answersClose) = (false, false)
        script.onControl = { _, frame in frame.opcode == .close ? [.text("no")] : [] }
        let server = try ScriptedWebSocketServer(script: script)
        let client = try client(of: server, sending: frame(0x89, []) + close)
        #expect(client.receive(4) == [0x81, 2] + "no".utf8)
        client.finishSending()
        #expect(await server.waitFor { $0.webSockets.first?.end == .client(.fin) })
        #expect(server.webSockets.first?.close?.code == 1000)
    }

    @Test func `compressed messages are echoed as they are, if the script allows the bit`() throws {
        var script = WebSocketScript()
        script.reservedBits = 4
        let server = try ScriptedWebSocketServer(script: script)
        let client = try client(of: server, sending: frame(0xC1, [0xFF]))
        #expect(client.receive(3) == [0xC1, 1, 0xFF])
        #expect(server.webSockets.first?.messages.first?.reserved == 4)
    }

    @Test(arguments: [125, 126, 65_535, 65_536, 3_000_001])
    func `a message of any length comes back`(count: Int) throws {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let length: [UInt8] =
            switch count {
            case ..<126: [UInt8(count)]
            case ..<65_536: [126, UInt8(count >> 8), UInt8(count & 255)]
            default: [127, 0, 0, 0, 0, 0, UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255)]
            }
        let mask: [UInt8] = [1, 2, 3, 4]
        let masked = zip(payload, payload.indices).map { $0 ^ mask[$1 & 3] }
        let server = try ScriptedWebSocketServer()
        let client = try client(of: server)
        client.send([0x82, length[0] | 0x80] + length.dropFirst() + mask + masked)
        let expected = [0x82] + length + payload
        // Two megabytes that differ would be compared for minutes.
        let isSame = client.receive(expected.count) == expected
        #expect(isSame)
    }

    // Violations

    @Test(
        arguments: [
            ([0x81, 0x01, 0x61], .unmasked), ([0xC1, 0x80, 0, 0, 0, 0], .reservedBits),
            ([0x83, 0x80, 0, 0, 0, 0], .reservedOpcode), ([0x8B, 0x80, 0, 0, 0, 0], .reservedOpcode),
            ([0x81, 0xFE, 0, 0, 0, 0, 0, 0], .lengthForm),
            ([0x81, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], .lengthForm),
            ([0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], .length),
            ([0x09, 0x80, 0, 0, 0, 0], .fragmentedControl),
            ([0x89, 0xFE, 0, 126, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 126), .longControl),
            ([0x80, 0x80, 0, 0, 0, 0], .unexpectedContinuation),
            ([0x01, 0x80, 0, 0, 0, 0, 0x81, 0x80, 0, 0, 0, 0], .unfinishedMessage),
            ([0x88, 0x81, 0, 0, 0, 0, 3], .invalidClose), ([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xED], .invalidClose),
            ([0x88, 0x83, 0, 0, 0, 0, 0x03, 0xE8, 0xFF], .invalidClose),
        ] as [([UInt8], ClientViolation)])
    func `a violation is recorded with its frame, and answered with 1002 and the end`(
        bytes: [UInt8], violation: ClientViolation
    ) async throws {
        let server = try ScriptedWebSocketServer()
        // What comes behind must not make the end a RST.
        let client = try client(of: server, sending: bytes + [UInt8](repeating: 0, count: 200_000))
        #expect(client.receive(100) == [0x88, 2, 0x03, 0xEA])
        #expect(client.receiveAll().end == .fin)
        let seen = try #require(server.webSockets.first)
        #expect(seen.violations == [violation] && seen.messageCount == 0 && seen.frameCount > 0 && seen.close == nil)
    }

    @Test func `text that is not UTF-8 is answered with 1007`() throws {
        let server = try ScriptedWebSocketServer()
        let client = try client(of: server, sending: frame(0x01, [0xC3]) + frame(0x80, [0x28]))
        #expect(client.receive(100) == [0x88, 2, 0x03, 0xEF])
        #expect(server.webSockets.first?.violations == [.invalidText])
    }

    @Test func `a frame after the close frame is a violation`() async throws {
        var script = WebSocketScript()
        script.answersClose = false
        let server = try ScriptedWebSocketServer(script: script)
        _ = try client(of: server, sending: close + hello)
        #expect(await server.waitFor { $0.webSockets.first?.violations == [.frameAfterClose] })
    }

    // Steps

    @Test func `messages and control frames are sent whole, and are taken in order`() throws {
        #expect(
            try bytes(of: [.text("a"), .binary([1]), .ping([2]), .pong(), .close(1001, reason: "b"), .close(nil)])
                == [0x81, 1, 0x61, 0x82, 1, 1, 0x89, 1, 2, 0x8A, 0, 0x88, 3, 0x03, 0xE9, 0x62, 0x88, 0])
    }

    @Test(
        arguments: [
            (WebSocketFrame(.text, [0x61], isFinal: false), [0x01, 1, 0x61]),
            (WebSocketFrame(15, [], reserved: 7), [0xFF, 0]),
            (WebSocketFrame(255, [], isFinal: false, reserved: 255), [0x7F, 0]),
            (
                WebSocketFrame(.binary, [1, 2, 3, 4, 5, 6, 7, 8, 9], mask: 0x0102_0304),
                [
                    0x82, 0x89, 1, 2, 3, 4, 0, 0, 0, 0, 4, 4, 4, 12, 8,
                ]
            ),
            (WebSocketFrame(.text, [0x61], lengthForm: .sixteenBits), [0x81, 126, 0, 1, 0x61]),
            (WebSocketFrame(.text, [0x61], lengthForm: .sixtyFourBits), [0x81, 127, 0, 0, 0, 0, 0, 0, 0, 1, 0x61]),
            (
                WebSocketFrame(.text, [0x61], declaredLength: .max),
                [0x81, 127] + [UInt8](repeating: 255, count: 8) + [0x61]
            ),
            (WebSocketFrame(.text, declaredLength: 1 << 16 + 3, lengthForm: .sevenBits), [0x81, 3]),
        ] as [(WebSocketFrame, [UInt8])])
    func `a frame is sent as it is, valid or not`(frame: WebSocketFrame, expected: [UInt8]) throws {
        #expect(try bytes(of: [.frame(frame)]) == expected)
    }

    @Test func `bytes come as they are, and a step may send them slowly`() throws {
        #expect(try bytes(of: [.bytes([9, 9]), .slowly(.text("ab"), every: .zero)]) == [9, 9, 0x81, 2, 0x61, 0x62])
    }

    @Test func `a reset ends with RST`() async throws {
        let server = try ScriptedWebSocketServer { connection, message in
            message.text == "Hello" && connection == 1 ? [.reset] : []
        }
        let client = try client(of: server, sending: hello)
        #expect(client.receiveAll().end == .reset)
        #expect(await server.waitFor { $0.webSockets.first?.end == .server })
    }

    @Test func `a wait lasts until the latch is open, and nothing is read meanwhile`() async throws {
        let latch = try Latch()
        let server = try ScriptedWebSocketServer(onOpen: [.text("a"), .wait(latch)]) { _, _ in [.text("b")] }
        let client = try client(of: server, sending: hello)
        #expect(client.receive(3) == [0x81, 1, 0x61])
        #expect(server.webSockets.first?.frameCount == 0)
        latch.open()
        #expect(client.receive(3) == [0x81, 1, 0x62])
    }

    @Test func `a wait ends with the client, and what it has sent is recorded`() async throws {
        let server = try ScriptedWebSocketServer(script: WebSocketScript(onOpen: [.wait(try Latch()), .text("never")]))
        let client = try client(of: server, sending: hello + close)
        client.finishSending()
        #expect(await server.waitFor { $0.webSockets.first?.end == .client(.fin) })
        #expect(server.webSockets.first?.messages.map(\.text) == ["Hello"])
        #expect(server.webSockets.first?.close?.code == 1000)
        #expect(client.receive(1).isEmpty)
    }

    @Test func `a server that awaits the end records and says nothing`() async throws {
        let server = try ScriptedWebSocketServer(script: WebSocketScript(onOpen: [.awaitEnd]))
        let client = try client(of: server, sending: frame(0x89, []) + [0x81, 0] + hello)
        #expect(await server.waitFor { $0.webSockets.first?.messageCount == 1 })
        #expect(server.webSockets.first?.violations == [.unmasked] && server.webSockets.first?.frameCount == 3)
        client.finishSending()
        #expect(client.receive(1).isEmpty)
    }

    @Test func `a client that resets is told from one that closes`() async throws {
        let server = try ScriptedWebSocketServer()
        var client: RawClient? = try client(of: server)
        client?.armReset()
        client = nil
        #expect(await server.waitFor { $0.webSockets.first?.end == .client(.reset) })
    }

    @Test func `of many frames the latest are kept, and all are counted`() async throws {
        var configuration = OriginConfiguration()
        configuration.rememberedRequests = 2
        let server = try ScriptedWebSocketServer(configuration)
        let client = try client(of: server, sending: (0..<10).flatMap { frame(0x82, [$0]) })
        #expect(client.receive(30).suffix(3) == [0x82, 1, 9])
        #expect(await server.waitFor { $0.webSockets.first?.messageCount == 10 })
        let seen = try #require(server.webSockets.first)
        #expect(seen.frameCount == 10 && seen.frames.suffix(2).map(\.payload) == [[8], [9]] && seen.messages.count < 5)
    }

    @Test func `a frame is described by the beginning of its payload`() {
        let frame = WebSocketFrame(
            .text, [UInt8](repeating: 0x61, count: 101), isFinal: false, reserved: 4, mask: 255, declaredLength: 7,
            lengthForm: .sixteenBits)
        let beginning = String(repeating: "a", count: 100)
        #expect(
            "\(frame)"
                == "frame(opcode 1, not final, reserved 4, mask ff, length 7, sixteenBits, \"\(beginning)\"… 101 bytes)"
        )
    }

    @Test func `stopping ends a WebSocket`() async throws {
        let server = try ScriptedWebSocketServer()
        let client = try client(of: server)
        server.stop()
        #expect(client.receive(1).isEmpty)
        #expect(server.webSockets.first?.end == .server)
    }
}
