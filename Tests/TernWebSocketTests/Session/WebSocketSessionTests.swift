// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
@testable import TernWebSocket

/// A WebSocket of a session, with a server that does what it is told.
@Suite(.timeLimit(.minutes(1))) struct WebSocketSessionTests {
    private func request(_ server: ScriptedWebSocketServer, _ path: String = "/") throws -> URLRequest {
        URLRequest(url: try #require(URL(string: server.url(path))))
    }

    /// A session lives as long as it is referenced.
    private let session = makeSession()

    private static func makeSession(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> Session {
        var configuration = SessionConfiguration()
        configuration.reactorCount = 1
        change(&configuration)
        return Session(configuration: configuration)
    }

    private func failure(_ body: () async throws(SessionError) -> Void) async -> SessionError.Reason? {
        do throws(SessionError) {
            try await body()
            return nil
        } catch {
            return error.reason
        }
    }

    private func webSocketFailure(_ body: () async throws(SessionError) -> Void) async -> WebSocketFailure? {
        guard case .transfer(.webSocket(let failure))? = await failure(body) else { return nil }
        return failure
    }

    // Messages

    @Test func `messages of both kinds and of all lengths come back as they went`() async throws {
        let server = try ScriptedWebSocketServer()
        let socket = try await session.webSocket(for: request(server))
        #expect(socket.response.statusCode == 101)
        for length in [0, 1, 125, 126, 127, 4_000, 65_535, 65_536, 300_000, 1_000_000] {
            let data = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 13) })
            try await socket.send(data)
            let isSame = try await socket.receive() == .data(data)
            #expect(isSame, "\(length) bytes")
            let text = String(repeating: "añ€😀", count: length / 10)
            try await socket.send(text)
            let isSameText = try await socket.receive() == .text(text)
            #expect(isSameText, "a text of \(length)")
        }
        #expect(try await socket.close(reason: "done") == WebSocketClose(.normalClosure, reason: "done"))
        let seen = try #require(server.webSockets.first)
        #expect(seen.violations.isEmpty)
        #expect(seen.close == ReceivedClose(code: 1000, reason: "done"))
        let keys = Set(seen.frames.map(\.mask))
        #expect(!keys.contains(nil))
        #expect(keys.count > seen.frames.count / 2)
        await session.expectNothingLeft()
    }

    @Test func `the messages are a sequence that ends with an orderly close, and throws otherwise`() async throws {
        let server = try ScriptedWebSocketServer(
            onOpen: [.text("1"), .binary([2]), .close(1001, reason: "restart")]) { _, _ in [] }
        let socket = try await session.webSocket(for: request(server))
        var messages: [WebSocketMessage] = []
        for try await message in socket { messages.append(message) }
        #expect(messages == [.text("1"), .data(Data([2]))])
        #expect(socket.closed == WebSocketClose(.goingAway, reason: "restart"))
        let failing = try ScriptedWebSocketServer(onOpen: [.close(1011, reason: "oops")]) { _, _ in [] }
        let other = try await session.webSocket(for: request(failing))
        let failure = await webSocketFailure { () throws(SessionError) in for try await _ in other {} }
        #expect(failure == .closed(WebSocketClose(.internalServerError, reason: "oops")))
    }

    @Test func `pings measure the way, in both directions`() async throws {
        let server = try ScriptedWebSocketServer(onOpen: [.ping([1, 2, 3])]) { _, _ in [] }
        let socket = try await session.webSocket(for: request(server))
        #expect(try await socket.ping() > .zero)
        #expect(
            await server.waitFor {
                $0.webSockets.first?.frames.contains { $0.opcode == .pong && $0.payload == [1, 2, 3] } == true
            })
    }

    @Test func `many Swift tasks send and receive at once, and each message goes to one of them`() async throws {
        let server = try ScriptedWebSocketServer()
        let socket = try await session.webSocket(for: request(server))
        let received = await withTaskGroup(of: WebSocketMessage?.self) { group in
            for number in 0..<50 {
                group.addTask {
                    try? await socket.send("\(number)")
                    return nil
                }
                group.addTask { try? await socket.receive() }
            }
            return await group.reduce(into: Set<WebSocketMessage>()) { messages, message in
                if let message { messages.insert(message) }
            }
        }
        #expect(received == Set((0..<50).map { .text("\($0)") }))
    }

    // Handshake

    @Test func `the handshake has the fields of RFC 6455, and a chosen subprotocol`() async throws {
        let server = try ScriptedWebSocketServer(handshake: { _, _ in .accept(subprotocol: "soap") })
        var configuration = WebSocketConfiguration()
        configuration.subprotocols = ["wamp", "soap"]
        var request = try request(server, "/chat?x=1")
        request.setValue("1", forHTTPHeaderField: "X-Own")
        let socket = try await session.webSocket(for: request, configuration: configuration)
        #expect(socket.subprotocol == "soap")
        #expect(!socket.isCompressed)
        let seen = try #require(server.webSockets.first?.request)
        #expect(seen.target == "/chat?x=1")
        #expect(seen.value(of: "Upgrade") == "websocket")
        #expect(seen.value(of: "Connection") == "Upgrade")
        #expect(seen.value(of: "Sec-WebSocket-Version") == "13")
        #expect(seen.value(of: "Sec-WebSocket-Protocol") == "wamp, soap")
        #expect(seen.value(of: "Sec-WebSocket-Extensions") == nil)
        #expect(seen.value(of: "X-Own") == "1")
        #expect(seen.value(of: "Sec-WebSocket-Key")?.count == 24)
    }

    @Test func `a request for a WebSocket is made of its URL as text, and is for nothing else`() async throws {
        let server = try ScriptedWebSocketServer()
        let request = try URLRequest(string: server.url("/chat").replacing("ws:", with: "WS:"))
        let socket = try await session.webSocket(for: request)
        try await socket.close()
        #expect(server.webSockets.map(\.request.target) == ["/chat"])
        let reason = await failure { () throws(SessionError) in _ = try await session.data(for: request) }
        guard case .request(.invalid(.unsupportedScheme)) = reason else {
            Issue.record("\(String(describing: reason))")
            return
        }
        for invalid in ["ws://", "wss://a:99999/", "ws://a b/"] {
            #expect(throws: InvalidRequest.self, "\(invalid)") { try URLRequest(string: invalid) }
        }
    }

    @Test func `a handshake that the server refuses or botches says how`() async throws {
        let cases: [(WebSocketHandshake, WebSocketFailure?, Int?)] = [
            (.respond([.ok("no")]), nil, 200), (.respond([.respond(status: 503)]), nil, 503),
            (.acceptKey(nil), .handshake(.accept), nil), (.acceptKey("AAAA"), .handshake(.accept), nil),
            (.accept(subprotocol: "other"), .handshake(.subprotocol), nil),
            (.accept(extensions: "permessage-deflate"), .handshake(.extensions), nil),
            (.accept(extensions: "x-unknown"), .handshake(.extensions), nil),
        ]
        for (answer, expected, status) in cases {
            let server = try ScriptedWebSocketServer(handshake: { _, _ in answer })
            let request = try request(server)
            let reason = await failure { () throws(SessionError) in _ = try await session.webSocket(for: request) }
            switch reason {
            case .transfer(.webSocket(let failure))?: #expect(failure == expected)
            case .transfer(.upgradeRefused(let refused))?: #expect(refused == status)
            default: Issue.record("\(String(describing: reason))")
            }
        }
        await session.expectNothingLeft()
    }

    @Test func `credentials, cookies and redirects are those of any request`() async throws {
        let server = try ScriptedWebSocketServer(handshake: { _, request in
            switch request.target {
            case "/old": .respond([.respond(status: 307, fields: [("Location", "/new"), ("Set-Cookie", "a=b")])])
            case _ where request.value(of: "Authorization") == nil:
                .respond([.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"x\"")])])
            default: .accept()
            }
        })
        let session = Self.makeSession { $0.httpCookieStorage = HTTPCookieStorage() }
        var request = try request(server, "/old")
        request.credential = PasswordCredential(user: "me", password: "secret")
        let socket = try await session.webSocket(for: request)
        try await socket.send("x")
        #expect(try await socket.receive() == .text("x"))
        let seen = try #require(server.webSockets.first?.request)
        #expect(seen.target == "/new")
        #expect(seen.value(of: "Cookie") == "a=b")
    }

    @Test func `a handshake is tried again as its policy says`() async throws {
        let server = try ScriptedWebSocketServer(handshake: { connection, _ in
            connection == 1 ? .respond([.respond(status: 503, fields: [("Connection", "close")])]) : .accept()
        })
        var request = try request(server)
        var policy = RetryPolicy()
        policy.backOff.base = .milliseconds(1)
        request.retryPolicy = policy
        let socket = try await session.webSocket(for: request)
        try await socket.send("x")
        #expect(try await socket.receive() == .text("x"))
    }

    @Test func `wss is judged as https is`() async throws {
        let authority = try CertificateAuthority()
        let server = try ScriptedWebSocketServer(tls: authority.issue())
        let trusting = try Session.trusting(authority)
        let socket = try await trusting.webSocket(for: request(server))
        let data = Data(count: 500_000)
        try await socket.send(data)
        let isSame = try await socket.receive() == .data(data)
        #expect(isSame)
        try await socket.close()
        let pinned = try Session.trusting(
            authority,
            policies: ["localhost": .pinPublicKeys(publicKeys: [], validateCertificateChain: true, validateHost: true)])
        let request = try request(server)
        let reason = await failure { () throws(SessionError) in _ = try await pinned.webSocket(for: request) }
        #expect(reason?.trustFailure != nil)
    }

    @Test func `through a proxy it takes a tunnel`() async throws {
        let server = try ScriptedWebSocketServer()
        let proxy = try ScriptedProxy()
        var request = try request(server)
        request.proxy = .through(Proxy(.http, host: "127.0.0.1", port: proxy.port))
        let socket = try await session.webSocket(for: request)
        try await socket.send("through")
        #expect(try await socket.receive() == .text("through"))
        #expect(proxy.observations.requests.map(\.kind) == [.connect])
    }

    // The end

    @Test func `violations are answered with their code`() async throws {
        let cases: [(WebSocketStep, WebSocketViolation, UInt16)] = [
            (.frame(WebSocketFrame(.text, [0xFF])), .invalidUTF8, 1007),
            (.frame(WebSocketFrame(.text, [], reserved: 4)), .reservedBit, 1002),
            (.frame(WebSocketFrame(3, [])), .opcode, 1002), (.bytes([0x82, 0x81, 0, 0, 0, 0, 0]), .mask, 1002),
            (.slowly(.frame(WebSocketFrame(.continuation, [1])), every: .zero), .nothingToContinue, 1002),
        ]
        for (step, violation, code) in cases {
            let server = try ScriptedWebSocketServer(onOpen: [.text("first"), step]) { _, _ in [] }
            let socket = try await session.webSocket(for: request(server))
            #expect(try await socket.receive() == .text("first"))
            let failure = await webSocketFailure { () throws(SessionError) in _ = try await socket.receive() }
            #expect(failure == .violation(violation))
            #expect(await server.waitFor { $0.webSockets.first?.close?.code == code })
        }
        await session.expectNothingLeft()
    }

    @Test func `a connection that is cut fails whoever waits`() async throws {
        for step in [WebSocketStep.hangUp, .reset] {
            let server = try ScriptedWebSocketServer { _, _ in [step] }
            let socket = try await session.webSocket(for: request(server))
            async let ping = failure { () throws(SessionError) in _ = try await socket.ping() }
            try await socket.send("go")
            let reason = await failure { () throws(SessionError) in _ = try await socket.receive() }
            #expect(reason != nil)
            _ = await ping
            #expect(socket.closed?.code == .abnormalClosure)
            let late = await webSocketFailure { () throws(SessionError) in try await socket.send("late") }
            _ = late
        }
    }

    @Test func `cancelling a reader closes the WebSocket`() async throws {
        let server = try ScriptedWebSocketServer { _, _ in [] }
        let socket = try await session.webSocket(for: request(server))
        let reader = Task { try await socket.receive() }
        try await socket.send("x")
        #expect(await server.waitFor { $0.webSockets.first?.messageCount == 1 })
        reader.cancel()
        await #expect(throws: SessionError.self) { try await reader.value }
        #expect(await server.waitFor { $0.webSockets.first?.close?.code == 1001 })
    }

    @Test func `cancelling the handshake leaves nothing`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let url = try #require(URL(string: origin.url("/")))
        let opening = Task { try await session.webSocket(from: url) }
        #expect(await origin.waitFor { $0.headCount == 1 })
        opening.cancel()
        await #expect(throws: SessionError.self) { _ = try await opening.value }
        await session.expectNothingLeft()
    }

    @Test func `a WebSocket that is let go of says goodbye`() async throws {
        let server = try ScriptedWebSocketServer { _, _ in [] }
        do {
            let socket = try await session.webSocket(for: request(server))
            try await socket.send("hello")
        }
        #expect(await server.waitFor { $0.webSockets.first?.close?.code == 1001 })
        #expect(await server.waitFor { $0.openConnections == 0 })
        await session.expectNothingLeft()
    }

    @Test func `a session that is invalidated ends its WebSockets`() async throws {
        let server = try ScriptedWebSocketServer { _, _ in [] }
        let socket = try await session.webSocket(for: request(server))
        session.invalidateAndCancel()
        let reason = await failure { () throws(SessionError) in _ = try await socket.receive() }
        #expect(reason != nil)
        #expect(await server.waitFor { $0.openConnections == 0 })
    }

    @Test func `a close that cannot be sent is refused, and the WebSocket stays open`() async throws {
        let server = try ScriptedWebSocketServer()
        let socket = try await session.webSocket(for: request(server))
        for close in [
            WebSocketClose(.abnormalClosure), WebSocketClose(WebSocketCloseCode(rawValue: 0)),
            WebSocketClose(.normalClosure, reason: String(repeating: "é", count: 62)),
        ] {
            let failure = await webSocketFailure { () throws(SessionError) in
                _ = try await socket.close(close.code, reason: close.reason)
            }
            #expect(failure == .unsendableClose(close))
        }
        try await socket.send("open")
        #expect(try await socket.receive() == .text("open"))
        try await socket.close(.noStatusReceived)
        #expect(server.webSockets.first?.close == ReceivedClose(code: nil))
    }

    // Back-pressure

    @Test func `a reader that stops stops the server, and loses nothing`() async throws {
        let steps = (0..<2_000).map { WebSocketStep.binary([UInt8](repeating: UInt8($0 & 0xFF), count: 10_000)) }
        let server = try ScriptedWebSocketServer(onOpen: steps) { _, _ in [] }
        let socket = try await session.webSocket(for: request(server))
        for number in 0..<2_000 {
            let expected = Data(repeating: UInt8(number & 0xFF), count: 10_000)
            let isSame = try await socket.receive() == .data(expected)
            try #require(isSame, "message \(number)")
        }
    }

    // Receivers and observers

    @Test func `a receiver is lent each piece on the reactor, and answers without a copy`() async throws {
        let server = try ScriptedWebSocketServer(
            script: WebSocketScript(onOpen: [.text("1"), .text("22"), .text("333")]))
        let echo = EchoReceiver(limit: 100)
        let socket = try await session.webSocket(for: request(server), receiver: echo)
        #expect(await echo.waitFor(messages: 100))
        try await socket.close()
        #expect(await echo.waitForClose() == WebSocketClose(.normalClosure))
        #expect(server.webSockets.first?.violations == [])
    }

    @Test func `observers and an archive have the messages`() async throws {
        let server = try ScriptedWebSocketServer()
        let recorder = HARRecorder()
        let session = Self.makeSession { $0.observers = [recorder] }
        let socket = try await session.webSocket(for: request(server))
        try await socket.send("four")
        _ = try await socket.receive()
        try await socket.send(Data([1, 2, 3]))
        _ = try await socket.receive()
        try await socket.close()
        await session.expectNothingLeft()
        #expect(await eventually { recorder.count == 2 })
        let text = String(decoding: recorder.json(), as: UTF8.self)
        #expect(text.contains("_webSocketMessages"))
        #expect(text.components(separatedBy: "\"opcode\":2").count == 3)
        #expect(text.contains("\"_size\":4"))
    }
}

/// Sends back what it gets, up to a number of messages.
private final class EchoReceiver: WebSocketReceiver {
    private let limit: Int
    private let state = Lock<(count: Int, close: WebSocketClose?)>((0, nil))

    init(limit: Int) { self.limit = limit }

    func webSocket(_ socket: WebSocket, didReceive bytes: Span<UInt8>, of message: WebSocketPart) {
        #expect(message.isFirst && message.isLast && message.isText)
        let count = state.withLock { state in
            state.count += 1
            return state.count
        }
        if count <= limit { socket.send(bytes, isText: true) }
    }

    func webSocket(_ socket: WebSocket, didCloseWith close: WebSocketClose, error: SessionError?) {
        state.withLock { $0.close = close }
    }

    func waitFor(messages count: Int) async -> Bool { await eventually { state.withLock { $0.count >= count } } }

    func waitForClose() async -> WebSocketClose? {
        _ = await eventually { state.withLock { $0.close != nil } }
        return state.withLock { $0.close }
    }
}
