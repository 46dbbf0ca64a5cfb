// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import Testing

/// Adds a field, and retries twice.
private struct Insisting: RequestInterceptor {
    func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
        var request = urlRequest
        request.setValue("yes", forHTTPHeaderField: "X-Adapted")
        return request
    }

    func should(
        _ manager: SessionManager, retry request: Request, with error: any Error,
        completion: @escaping RequestRetryCompletion
    ) {
        completion(request.retryCount < 2, 0)
    }
}

extension WebSocketRequest.Event {
    fileprivate var note: String {
        switch self {
        case .connected(let chosen): "connected \(chosen ?? "-")"
        case .receivedMessage(.text(let text)): text
        case .receivedMessage(.data(let data)): "\(data.count) bytes"
        case .disconnected(let code, let reason): "disconnected \(code.rawValue) \(reason)"
        case .completed(let completion):
            "completed \(completion.response?.statusCode ?? 0) \(completion.error.map { "\($0)" } ?? "-")"
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct WebSocketRequestTests {
    private let manager = SessionManager()
    private let server: ScriptedWebSocketServer

    init() throws {
        server = try ScriptedWebSocketServer(
            script: WebSocketScript { _, message in
                switch message.text {
                case "bye": [.text("ok"), .close(1000, reason: "done")]
                case "many": (0..<300).map { .text("\($0)") } + [.close(1001)]
                case "cut": [.hangUp]
                case let text: [text.map { .text($0) } ?? .binary(message.payload)]
                }
            }
        ) { connection, request in
            switch request.target {
            case "/missing": .respond([.respond(status: 404, body: "no")])
            case "/busy" where connection < 3: .respond([.respond(status: 503, body: "busy"), .close])
            case "/secret" where request.value(of: "Authorization") == nil:
                .respond([.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"x\"")], body: "")])
            default: .accept(subprotocol: request.value(of: "Sec-WebSocket-Protocol"))
            }
        }
    }

    private func events(of request: WebSocketRequest, on queue: DispatchQueue? = nil) async -> [String] {
        let (events, event) = AsyncStream<String>.makeStream()
        request.streamMessageEvents(on: queue) {
            event.yield($0.note)
            if case .completed = $0 { event.finish() }
        }
        return await events.reduce(into: []) { $0.append($1) }
    }

    @Test func `a WebSocket is connected, receives, is disconnected, and is completed, in this order`() async {
        let request = manager.webSocketRequest(to: server.url(), headers: ["Sec-WebSocket-Protocol": "chat"])
            .send(.text("a")).send(.data(Data([1, 2]))).send(.text("bye"))
        #expect(
            await events(of: request) == [
                "connected chat", "a", "2 bytes", "ok", "disconnected 1000 done", "completed 101 -",
            ])
        #expect(request.response?.statusCode == 101 && request.request?.url?.scheme == "ws")
        #expect(await events(of: request) == ["completed 101 -"])
    }

    @Test func `a busy handler on a queue of its own gets each message, in order`() async {
        let request = manager.webSocketRequest(to: server.url()).send(.text("many"))
        let events = await events(of: request, on: DispatchQueue(label: "messages"))
        #expect(events == ["connected -"] + (0..<300).map(String.init) + ["disconnected 1001 ", "completed 101 -"])
    }

    @Test func `a message, a ping and a close of this side`() async throws {
        let (results, result) = AsyncStream<Bool>.makeStream()
        let request = manager.webSocketRequest(to: server.url())
            .send(.text("a")) { result.yield((try? $0.get()) != nil) }
            .sendPing { result.yield((try? $0.get()) != nil) }
        var answers = results.makeAsyncIterator()
        #expect(await answers.next() == true)
        #expect(await answers.next() == true)
        request.close(sending: .goingAway, reason: "left")
        #expect(await events(of: request).suffix(2) == ["disconnected 1001 left", "completed 101 -"])
        #expect(server.webSockets.first?.close?.reason == "left")
        request.send(.text("late")) { result.yield((try? $0.get()) != nil) }
        #expect(await answers.next() == false)
    }

    @Test func `an awaited request gives the WebSocket`() async throws {
        let request = manager.webSocketRequest(to: server.url("/secret")).authenticate(user: "user", password: "secret")
        let socket = try await request.webSocket()
        try await socket.send("hello")
        #expect(try await socket.receive() == .text("hello"))
        #expect(try await socket.close().code == .normalClosure)
        #expect(await events(of: request).last == "completed 101 -")
    }

    @Test(arguments: ["/missing", "not a url"]) func `a request that opens no WebSocket fails`(_ path: String) async {
        let url = path.hasPrefix("/") ? server.url(path) : path
        await #expect(throws: (any Error).self) { _ = try await manager.webSocketRequest(to: url).webSocket() }
        let events = await events(of: manager.webSocketRequest(to: url))
        #expect(events.count == 1 && events.first?.hasPrefix("completed") == true)
    }

    @Test func `the adapter and the retrier are called for the handshake, and after a connection is lost`() async {
        manager.adapter = Insisting()
        manager.retrier = Insisting()
        let busy = manager.webSocketRequest(to: server.url("/busy")).send(.text("bye"))
        #expect(await events(of: busy) == ["connected -", "ok", "disconnected 1000 done", "completed 101 -"])
        #expect(busy.retryCount == 2)
        #expect(server.webSockets.first?.request.value(of: "X-Adapted") == "yes")
        let cut = manager.webSocketRequest(to: server.url()).send(.text("cut"))
        let (events, event) = AsyncStream<String>.makeStream()
        cut.streamMessageEvents { event.yield($0.note) }
        var notes = events.makeAsyncIterator()
        #expect(await notes.next() == "connected -")
        #expect(await notes.next() == "disconnected 1006 ")
        #expect(await notes.next() == "connected -")
        cut.close()
        #expect(await notes.next() == "disconnected 1000 ")
        #expect(await notes.next() == "completed 101 -")
    }

    @Test func `a cancelled request, a close that cannot be sent, and a manager that is released`() async throws {
        let cancelled = manager.webSocketRequest(to: server.url())
        _ = try await cancelled.webSocket()
        cancelled.cancel()
        #expect(await events(of: cancelled).last?.contains("cancelled") == true)
        let unsendable = manager.webSocketRequest(to: server.url()).close(sending: .abnormalClosure)
        #expect(await events(of: unsendable).last?.contains("cancelled") == true)
        var released: SessionManager? = SessionManager()
        let abandoned = try #require(released?.webSocketRequest(to: server.url()))
        _ = try await abandoned.webSocket()
        released = nil
        #expect(await events(of: abandoned).last?.contains("the session is gone") == true)
    }

    @Test func `a Swift task that is cancelled cancels the request that it awaits`() async throws {
        let held = try ScriptedWebSocketServer(handshake: { _, _ in .respond([.hold]) })
        let request = manager.webSocketRequest(to: held.url())
        let task = Task { _ = try await request.webSocket() }
        #expect(await held.waitFor { $0.requests.count == 1 })
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
    }
}
