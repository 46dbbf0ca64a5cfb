// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TernURLSession
import Testing

/// Writes down its calls, each with whether it came on the session's queue.
private final class Recorder: NSObject, URLSessionWebSocketDelegate, @unchecked Sendable {
    private let state = Lock<(calls: [String], waiting: [(String, CheckedContinuation<Void, Never>)])>(([], []))
    private let servers = Lock<[ScriptedWebSocketServer]>([])
    let queue = OperationQueue()

    override init() { queue.maxConcurrentOperationCount = 1 }

    var calls: [String] { state.withLock { $0.calls } }

    /// A server that is released stops.
    func keep(_ server: ScriptedWebSocketServer) { servers.withLock { $0.append(server) } }

    func note(_ call: String) {
        let ready = state.withLock { state in
            state.calls.append(OperationQueue.current === queue ? call : "\(call), elsewhere")
            let ready = state.waiting.filter { call.hasPrefix($0.0) }
            state.waiting.removeAll { call.hasPrefix($0.0) }
            return ready
        }
        for (_, continuation) in ready { continuation.resume() }
    }

    /// Waits for a call that begins so.
    func wait(for call: String) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.calls.contains(where: { $0.hasPrefix(call) }) { return true }
                state.waiting.append((call, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { note("invalid") }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?
    ) {
        note("open \(`protocol` ?? "-")")
    }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
    ) {
        note("close \(closeCode.rawValue) \(reason.map { String(decoding: $0, as: UTF8.self) } ?? "-")")
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        note("redirect")
        completionHandler(request)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        if let trust = challenge.protectionSpace.serverTrust {
            note("trust")
            return completionHandler(.useCredential, URLCredential(trust: trust))
        }
        note("challenge")
        completionHandler(.useCredential, URLCredential(user: "user", password: "secret", persistence: .none))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        note("metrics \(metrics.transactionMetrics.count)")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        note("end \(Self.code(of: error))")
    }

    static func code(of error: (any Error)?) -> String { (error as? URLError).map { "\($0.code.rawValue)" } ?? "-" }

    /// Writes down what a handler gets.
    func note(_ name: String, _ result: Result<URLSessionWebSocketTask.Message, any Error>) {
        switch result {
        case .success(.string(let text)): note("\(name) \(text)")
        case .success(.data(let data)): note("\(name) \(data.count) bytes")
        case .failure(let error): note("\(name) \(Self.code(of: error))")
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct URLSessionWebSocketTaskTests {
    private let recorder = Recorder()
    private let session: URLSession

    init() {
        session = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: recorder.queue)
    }

    private func task(
        _ server: ScriptedWebSocketServer, _ path: String = "/", _ protocols: [String] = []
    ) throws -> URLSessionWebSocketTask {
        recorder.keep(server)
        return session.webSocketTask(with: try #require(URL(string: server.url(path))), protocols: protocols)
    }

    private static func server(onOpen steps: [WebSocketStep]) throws -> ScriptedWebSocketServer {
        try ScriptedWebSocketServer(script: WebSocketScript(onOpen: steps))
    }

    private static let refusing: ScriptedWebSocketServer.Handshake = { _, request in
        switch request.target {
        case "/ok": .respond([.ok("hello")])
        case "/missing": .respond([.respond(status: 404, body: "no")])
        case "/key": .acceptKey("of another request")
        case "/chosen": .accept(subprotocol: "other")
        case "/moved": .respond([.respond(status: 302, fields: [("Location", "/")], body: "")])
        case "/secret" where request.value(of: "Authorization") == nil:
            .respond([.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"x\"")], body: "")])
        default:
            .accept(
                subprotocol: request.value(of: "Sec-WebSocket-Protocol")?.split(separator: ",").last.map {
                    String($0.drop { $0 == " " })
                })
        }
    }

    @Test func `calls that are made before the task starts wait, and everything comes in order on the queue`()
        async throws
    {
        let server = try ScriptedWebSocketServer()
        let task = try task(server)
        for number in 0..<3 {
            task.send(.string("\(number)")) { [recorder] in recorder.note("sent \(Recorder.code(of: $0))") }
            task.receive { [recorder] in recorder.note("received", $0) }
        }
        #expect(task.state == .suspended && recorder.calls == [])
        task.resume()
        await recorder.wait(for: "received 2")
        task.sendPing { [recorder] in recorder.note("pong \(Recorder.code(of: $0))") }
        await recorder.wait(for: "pong")
        #expect(task.state == .running && (task.response as? HTTPURLResponse)?.statusCode == 101)
        #expect(task.originalRequest?.url?.scheme == "ws" && task.closeCode == .invalid && task.closeReason == nil)
        #expect(await session.allTasks.contains(task))
        task.cancel(with: .goingAway, reason: Data("bye".utf8))
        await recorder.wait(for: "end")
        #expect(recorder.calls.first == "open -")
        let received = recorder.calls.filter { $0.hasPrefix("received") }
        #expect(received == ["received 0", "received 1", "received 2"])
        #expect(recorder.calls.filter { $0 == "sent -" }.count == 3)
        #expect(recorder.calls.suffix(4) == ["pong -", "close 1001 bye", "metrics 1", "end -"])
        #expect(task.state == .completed && task.error == nil)
        #expect(task.closeCode == .goingAway && task.closeReason == Data("bye".utf8))
        #expect(await session.allTasks.isEmpty)
        #expect(server.webSockets.first?.close?.code == 1001)
    }

    @Test func `messages are sent and received with async calls`() async throws {
        let task = try task(try ScriptedWebSocketServer())
        task.resume()
        try await task.send(.data(Data(repeating: 1, count: 100_000)))
        guard case .data(let data) = try await task.receive() else {
            Issue.record("a text")
            return
        }
        #expect(data == Data(repeating: 1, count: 100_000))
        try await task.sendPing()
        task.cancel()
    }

    @Test(
        arguments: [
            (
                [.text("a"), .close(1000, reason: "done")],
                ["received a", "received -1005", "close 1000 done", "end -"]
            ),
            ([.close(nil)], ["received -1005", "received -1005", "close 1005 -", "end -"]),
            ([.close(4001, reason: "mine")], ["received -1005", "received -1005", "close 1003 mine", "end -"]),
            ([.binary([1, 2]), .hangUp], ["received 2 bytes", "received -1005", "end -1005"]),
            ([.bytes([0xF1, 0])], ["received -1011", "received -1011", "end -1011"]),
            ([.text(String(repeating: "x", count: 1001))], ["received -1103", "received -1103", "end -1103"]),
        ] as [([WebSocketStep], [String])])
    func `a server that closes, breaks off or breaks the protocol`(_ steps: [WebSocketStep], _ calls: [String])
        async throws
    {
        let server = try Self.server(onOpen: steps)
        let task = try task(server)
        task.maximumMessageSize = 1000
        for _ in 0..<2 { task.receive { [recorder] in recorder.note("received", $0) } }
        task.resume()
        await recorder.wait(for: "end")
        #expect(recorder.calls.filter { $0 != "metrics 1" } == ["open -"] + calls)
        await #expect(throws: URLError.self) { try await task.send(.string("late")) }
        await #expect(throws: URLError.self) { try await task.sendPing() }
    }

    @Test func `messages that came before the close can be received after the end`() async throws {
        let task = try task(try Self.server(onOpen: [.text("late"), .close(1000)]))
        task.resume()
        await recorder.wait(for: "end")
        guard case .string("late") = try await task.receive() else {
            Issue.record("another message")
            return
        }
        await #expect(throws: URLError.self) { _ = try await task.receive() }
    }

    @Test(arguments: [
        ("/ok", 200), ("/missing", 404), ("/key", 101), ("/chosen", 101),
    ])
    func `a handshake that opens no WebSocket fails the task, and what waits for it`(_ path: String, _ status: Int)
        async throws
    {
        let server = try ScriptedWebSocketServer(handshake: Self.refusing)
        let task = try task(server, path)
        task.receive { [recorder] in recorder.note("received", $0) }
        task.resume()
        await recorder.wait(for: "end")
        #expect(recorder.calls == ["received -1011", "metrics 1", "end -1011"])
        #expect((task.response as? HTTPURLResponse)?.statusCode == status)
        #expect(task.error?.failingURL == task.originalRequest?.url)
    }

    @Test(arguments: [("/secret", "challenge"), ("/moved", "redirect")])
    func `redirects and challenges of the handshake reach the delegate`(_ path: String, _ call: String) async throws {
        let server = try ScriptedWebSocketServer(handshake: Self.refusing)
        let task = try task(server, path)
        task.resume()
        await recorder.wait(for: "open")
        task.cancel(with: .normalClosure, reason: nil)
        await recorder.wait(for: "end")
        #expect(recorder.calls == [call, "open -", "close 1000 -", "metrics 2", "end -"])
    }

    @Test func `a server's certificate is a challenge of the handshake`() async throws {
        let server = try ScriptedWebSocketServer(tls: try CertificateAuthority().issue())
        let task = try task(server)
        task.resume()
        try await task.send(.string("secure"))
        guard case .string("secure") = try await task.receive() else {
            Issue.record("another message")
            return
        }
        task.cancel()
        await recorder.wait(for: "end")
        #expect(recorder.calls == ["trust", "open -", "metrics 1", "end -999"])
    }

    @Test(arguments: [true, false]) func `subprotocols are offered by the argument, or by the field of the request`(
        isArgument: Bool
    ) async throws {
        let server = try ScriptedWebSocketServer(handshake: Self.refusing)
        var request = URLRequest(url: try #require(URL(string: server.url("/"))))
        recorder.keep(server)
        request.setValue("a, b", forHTTPHeaderField: "Sec-WebSocket-Protocol")
        let task = isArgument ? try task(server, "/", ["a", "b"]) : session.webSocketTask(with: request)
        task.resume()
        await recorder.wait(for: "open")
        #expect(recorder.calls == ["open b"])
        task.cancel()
    }

    @Test func `a task is cancelled before it starts, during the handshake, and when it is open`() async throws {
        let held = try ScriptedWebSocketServer(handshake: { _, _ in .respond([.hold]) })
        let unstarted = try task(held)
        unstarted.cancel(with: .normalClosure, reason: nil)
        await recorder.wait(for: "end")
        let opening = try task(held)
        opening.send(.string("x")) { [recorder] in recorder.note("sent \(Recorder.code(of: $0))") }
        opening.resume()
        _ = await held.waitFor { $0.requests.count == 1 }
        opening.cancel()
        await recorder.wait(for: "sent")
        let open = try task(try ScriptedWebSocketServer())
        open.resume()
        await recorder.wait(for: "open")
        open.receive { [recorder] in recorder.note("received", $0) }
        open.cancel()
        await recorder.wait(for: "received")
        session.finishTasksAndInvalidate()
        await recorder.wait(for: "invalid")
        #expect(
            recorder.calls == [
                "metrics 1", "end -999", "sent -999", "metrics 1", "end -999", "open -", "received -999", "metrics 1",
                "end -999", "invalid",
            ])
    }

    @Test func `a close before the handshake is over follows what was sent`() async throws {
        let server = try ScriptedWebSocketServer()
        let task = try task(server)
        task.resume()
        task.send(.string("first")) { _ in }
        // No code that can be sent, and a reason that is too long.
        task.cancel(with: .abnormalClosure, reason: Data(repeating: 65, count: 500))
        await recorder.wait(for: "end")
        #expect(server.webSockets.first?.messages.map(\.text) == ["first"])
        #expect(server.webSockets.first?.close == .init(code: nil))
        #expect(task.closeCode == .noStatusReceived)
    }

    @Test func `each message goes to one of many that receive`() async throws {
        let steps = (0..<500).map { WebSocketStep.text("\($0)") } + [.close(1000)]
        let task = try task(try Self.server(onOpen: steps))
        task.resume()
        let texts = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var texts: [String] = []
                    while case .string(let text)? = try? await task.receive() { texts.append(text) }
                    return texts
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(texts) == Set((0..<500).map(String.init)) && texts.count == 500)
    }

    @Test func `a suspended task neither sends nor receives`() async throws {
        let server = try ScriptedWebSocketServer()
        let task = try task(server)
        task.resume()
        await recorder.wait(for: "open")
        task.suspend()
        task.send(.string("held")) { [recorder] _ in recorder.note("sent") }
        let isSent = await server.waitFor(.milliseconds(50)) { $0.webSockets.first?.messageCount == 1 }
        #expect(!isSent && task.state == .suspended)
        task.resume()
        await recorder.wait(for: "sent")
        task.cancel()
    }

    @Test func `a task's own delegate is called in place of the session's`() async throws {
        let own = Recorder()
        let task = try task(try ScriptedWebSocketServer())
        task.delegate = own
        task.resume()
        await own.wait(for: "open")
        task.cancel(with: .normalClosure, reason: nil)
        await own.wait(for: "end")
        #expect(own.calls.count == 4 && recorder.calls == [])
    }

    @Test func `invalidation cancels a WebSocket, and the session and its delegate are released`() async throws {
        let server = try ScriptedWebSocketServer()
        recorder.keep(server)
        weak var (released, delegate): (URLSession?, Recorder?)
        do {
            let recorder = Recorder()
            let session = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: recorder.queue)
            (released, delegate) = (session, recorder)
            let task = session.webSocketTask(with: try #require(URL(string: server.url())))
            task.resume()
            await recorder.wait(for: "open")
            session.invalidateAndCancel()
            await recorder.wait(for: "invalid")
            #expect(recorder.calls == ["open -", "metrics 1", "end -999", "invalid"])
        }
        while released != nil || delegate != nil { await Task.yield() }
    }

    @Test func `a session that finishes waits for its WebSockets`() async throws {
        let task = try task(try ScriptedWebSocketServer())
        task.resume()
        await recorder.wait(for: "open")
        session.finishTasksAndInvalidate()
        try await task.sendPing()
        #expect(!recorder.calls.contains("invalid"))
        task.cancel(with: .normalClosure, reason: nil)
        await recorder.wait(for: "invalid")
        #expect(recorder.calls == ["open -", "close 1000 -", "metrics 1", "end -", "invalid"])
    }

    @Test func `a task of no session answers what waits for it when it is started`() async {
        let task = URLSessionWebSocketTask()
        task.maximumMessageSize = 1
        task.resume()
        await #expect(throws: URLError.self) { _ = try await task.receive() }
    }
}
