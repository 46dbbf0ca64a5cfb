// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
import TernLock

@Suite(.timeLimit(.minutes(5))) struct ConnectionReuseTests {
    @Test(arguments: [false, true]) func `one connection carries request after request`(isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, request in [.ok(request.target)] }
        let session = try Session.trusting(authority, connections: 16)
        for index in 0..<50 { #expect(try await session.text(URLRequest(origin, "/\(index)")) == "/\(index)") }
        #expect(origin.connectionCount == 1)
        #expect(origin.requests.map(\.index) == Array(0..<50))
    }

    @Test func `says whether a connection was used before`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited()
        for isReused in [false, true, true] {
            let delegate = RecordingDelegate()
            let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
            #expect(task.metrics == nil)
            task.resume()
            #expect(await delegate.end().error == nil)
            let metrics = try #require(task.metrics)
            #expect(metrics.isConnectionReused == isReused)
            #expect(metrics.repeatCount == 0)
            let acquired = try #require(metrics.connectionAcquired)
            let answered = try #require(metrics.responseStart)
            let end = try #require(metrics.end)
            #expect(acquired <= answered && answered <= end)
            #expect(metrics.connection?.remoteAddress.port == origin.port)
        }
    }

    @Test(arguments: [(Duration.seconds(60), false), (.seconds(61), true), (nil, true)])
    func `the kernel watches a connection that has no shorter limit`(
        idle: Duration?, isWatched: Bool
    ) async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold, .ok()] }
        let session = Session.limited { $0.timeouts.idle = idle }
        let delegate = RecordingDelegate()
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        #expect(await origin.waitFor { $0.requestCount == 1 })
        #expect(ClientSockets.count(to: origin.port) == 1)
        #expect(ClientSockets.countWatched(to: origin.port) == (isWatched ? 1 : 0))
        try origin.release()
        #expect(await delegate.end().error == nil)
        await session.settle()
        #expect(ClientSockets.countWatched(to: origin.port) == 1)
    }

    @Test func `never has more connections than allowed, and never idles while requests wait`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited(to: 5)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<500 { group.addTask { _ = try await session.data(for: URLRequest(origin)) } }
            try await group.waitForAll()
        }
        #expect(origin.connectionCount <= 5)
        #expect(origin.observations.requestCount == 500)
    }

    @Test func `requests that wait are served in order`() async throws {
        let origin = try ScriptedOrigin { _, request in request.target == "/0" ? [.hold, .ok()] : [.ok()] }
        let session = Session.limited()
        let delegates = try (0..<100).map { index in
            let delegate = RecordingDelegate()
            session.dataTask(with: try URLRequest(origin, "/\(index)"), delegate: delegate).resume()
            return delegate
        }
        await session.settle()
        #expect(await origin.waitFor { $0.requestCount == 1 })
        try origin.release()
        for delegate in delegates { #expect(await delegate.end().error == nil) }
        #expect(origin.requests.map(\.target) == (0..<100).map { "/\($0)" })
        #expect(origin.connectionCount == 1)
    }

    @Test(.proves("14.13a"), arguments: [0, 15, 16, 17, 40])
    func `an answer that came before its request answers nothing, whatever it waits behind`(count: Int) async throws {
        let authority = try CertificateAuthority()
        let forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, request in
            if request.target != "/first" { return [.ok("real")] }
            let forgery = [.pause(.milliseconds(300))] + .init(repeating: OriginStep.updateKeys, count: count)
            return [.ok("first")] + forgery + [.send(forged)]
        }
        let session = try Session.trusting(authority)
        let (next, port) = (RecordingDelegate(), origin.port)
        let request = try URLRequest(origin, "/next")
        // A record of a key update has 27 bytes.
        let length = 27 * count + 5 + forged.utf8.count + 17
        let first = RecordingDelegate { [weak session] _, event in
            guard case .end = event else { return }
            // Everything is there before the request begins.
            #expect(ClientSockets.waitForInput(of: length, from: port))
            session?.dataTask(with: request, delegate: next).resume()
        }
        session.dataTask(with: try URLRequest(origin, "/first"), delegate: first).resume()
        #expect(String(decoding: await next.end().body, as: UTF8.self) == "real")
        #expect(origin.connectionCount == 2)
    }

    // A connection that the server has closed, or is closing

    enum Ending: CaseIterable, Sendable {
        case fin, reset, closeAfterNextRequest, resetAfterNextRequest
    }

    @Test(arguments: Ending.allCases, [false, true])
    func `a GET never fails because a kept connection was closed`(ending: Ending, isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let generator = Lock(SeededGenerator(seed: 5))
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, request in
            let delay = Duration.microseconds(generator.withLock { Int.random(in: 0...3000, using: &$0) })
            switch ending {
            case .fin: return [.ok(request.target), .pause(delay), .close]
            case .reset: return [.ok(request.target), .pause(delay), .reset]
            case .closeAfterNextRequest: return request.index == 0 ? [.ok(request.target)] : [.close]
            case .resetAfterNextRequest: return request.index == 0 ? [.ok(request.target)] : [.reset]
            }
        }
        let session = try Session.trusting(authority, connections: 4)
        let retries = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    var retries = 0
                    for index in 0..<Rounds.of(isSecure ? 30 : 60) {
                        let path = "/\(worker).\(index)"
                        let delegate = RecordingDelegate()
                        let task = session.dataTask(with: try URLRequest(origin, path), delegate: delegate)
                        task.resume()
                        let record = await delegate.end()
                        // A RST may destroy what was sent before it: that is a response cut short, and no stale
                        // connection.
                        if ending == .reset,
                            record.events.contains(.head(200)) || task.metrics?.isConnectionReused == false
                        {
                            continue
                        }
                        #expect(record.error == nil)
                        #expect(record.body == Array(path.utf8))
                        let count = try #require(task.metrics).repeatCount
                        #expect(count <= 1)
                        retries += count
                    }
                    return retries
                }
            }
            return try await group.reduce(0, +)
        }
        if ending == .closeAfterNextRequest || ending == .resetAfterNextRequest { #expect(retries > 0) }
    }

    @Test func `a request is sent again once at most`() async throws {
        let origin = try ScriptedOrigin { connection, request in
            connection == 1 && request.index == 0 ? [.ok()] : [.close]
        }
        let session = Session.limited()
        _ = try await session.data(for: URLRequest(origin))
        let error = await session.failure(of: try URLRequest(origin, "/twice"))
        #expect(error?.reason.isConnectionLoss == true)
        #expect(error?.phase == .head)
        #expect(error?.wasSent == true)
        #expect(origin.requests.map(\.target) == ["/", "/twice", "/twice"])
    }

    @Test(arguments: ["HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"])
    func `any idempotent method is sent again, with its body`(method: String) async throws {
        let origin = try ScriptedOrigin { connection, request in
            connection == 1 && request.index == 1 ? [.close] : [.ok()]
        }
        let session = Session.limited()
        _ = try await session.data(for: URLRequest(origin))
        let body: Data? = method == "PUT" ? Data(repeating: 7, count: 100_000) : nil
        _ = try await session.data(for: URLRequest(origin, method: method, body: body))
        #expect(origin.requests.map(\.method) == ["GET", method, method])
        #expect(origin.requests.last?.body.count == body?.count ?? 0)
        #expect(origin.connectionCount == 2)
    }

    @Test(arguments: ["POST", "PATCH", "options", "LOCK"], [true, false])
    func `nothing else is ever sent twice`(method: String, isReused: Bool) async throws {
        let origin = try ScriptedOrigin { _, request in request.target == "/warm" ? [.ok()] : [.close] }
        let session = Session.limited()
        if isReused { _ = try await session.data(for: URLRequest(origin, "/warm")) }
        let error = await session.failure(of: try URLRequest(origin, "/nonce", method: method, body: Data("x".utf8)))
        #expect(error?.reason.isConnectionLoss == true)
        #expect(error?.wasSent == true)
        #expect(origin.requests.filter { $0.target == "/nonce" }.count == 1)
    }

    @Test func `a request is not sent again after a fresh connection was lost, nor once an answer has begun`()
        async throws
    {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/part" ? [.send("H"), .close] : request.target == "/close" ? [.close] : [.ok()]
        }
        let session = Session.limited()
        #expect(await session.failure(of: try URLRequest(origin, "/close"))?.reason.isConnectionLoss == true)
        _ = try await session.data(for: URLRequest(origin))
        #expect(await session.failure(of: try URLRequest(origin, "/part"))?.reason.isConnectionLoss == true)
        #expect(origin.requests.map(\.target) == ["/close", "/", "/part"])
    }

    @Test func `a POST goes out on a new connection after the server closed the kept one`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok(), .close] }
        let session = Session.limited()
        for count in 1...20 {
            _ = try await session.data(for: URLRequest(origin, method: "POST", body: Data("x".utf8)))
            #expect(await origin.waitFor { $0.connectionCount == count && $0.openConnections == 0 })
            // The close has reached this machine's kernel; the reactor sees it before it sees later requests.
            await session.settle()
            await session.settle()
        }
        #expect(origin.observations.requestCount == 20)
    }

    @Test func `a kept connection is closed when its time is over`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/told" ? [.respond(fields: [("Keep-Alive", "timeout=1")])] : [.ok()]
        }
        let session = Session.limited { $0.maximumIdleTime = .milliseconds(50) }
        _ = try await session.data(for: URLRequest(origin))
        #expect(await origin.waitFor { $0.openConnections == 0 })
        let patient = Session.limited()
        _ = try await patient.data(for: URLRequest(origin, "/told"))
        #expect(await origin.waitFor { $0.openConnections == 0 })
        #expect(origin.observations.closes.map(\.kind) == [.fin, .fin])
    }

    @Test(arguments: [false, true])
    func `a POST that waits is not sent on a connection whose end has come with the response`(
        isSecure: Bool
    ) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, _ in [.ok(), .close] }
        let session = try Session.trusting(authority)
        let request = try URLRequest(origin, method: "POST", body: Data("x".utf8))
        let delegates = (0..<10).map { _ in
            RecordingDelegate { task, event in
                // The end is here before the response has been delivered.
                if event == .head(200) { #expect(ClientSockets.waitForEnd(from: origin.port)) }
            }
        }
        await session.onReactor {
            for delegate in delegates { session.dataTask(with: request, delegate: delegate).resume() }
        }
        for delegate in delegates { #expect(await delegate.end().error == nil) }
        #expect(origin.observations.requestCount == 10)
        #expect(origin.connectionCount == 10)
    }

    @Test(arguments: [false, true])
    func `a POST from beside the socket is not sent on a connection that has ended meanwhile`(
        isSecure: Bool
    ) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, _ in [.ok("done"), .close] }
        let session = try Session.trusting(authority)
        let request = try URLRequest(origin, method: "POST", body: Data("x".utf8))
        let executor = try #require(session.executors.first)
        let texts = try await Task(executorPreference: executor) {
            var texts: [String] = []
            for _ in 0..<10 {
                texts.append(try await session.text(request))
                // The reactor is ours until the next request is made, and looks at no socket.
                #expect(ClientSockets.count(to: origin.port) == 0 || ClientSockets.waitForEnd(from: origin.port))
            }
            return texts
        }.value
        #expect(texts == .init(repeating: "done", count: 10))
        #expect(origin.observations.requestCount == 10)
    }

    @Test(arguments: [false, true])
    func `what arrives before a request is made beside the socket does not answer it`(isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { connection, _ in
            connection == 1 ? [.ok("first"), .hold, .ok("forged"), .awaitClose] : [.ok("second")]
        }
        let session = try Session.trusting(authority)
        let request = try URLRequest(origin)
        let executor = try #require(session.executors.first)
        let texts = try await Task(executorPreference: executor) {
            let first = try await session.text(request)
            try origin.release()
            // The reactor is ours until the next request is made, and looks at no socket.
            #expect(ClientSockets.waitForInput(of: 20, from: origin.port))
            return [first, try await session.text(request)]
        }.value
        #expect(texts == ["first", "second"])
        #expect(origin.connectionCount == 2)
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""])
    func `what lies on a new connection before the first request is no answer to it`(text: String) async throws {
        // Only where connecting takes its time can anything come before the request.
        let hole = try BlackHole()
        let session = Session.limited()
        let delegate = RecordingDelegate()
        var request = URLRequest(url: try #require(URL(string: hole.url)))
        request.httpMethod = "POST"
        let task = session.dataTask(with: request, delegate: delegate)
        await session.onReactor { task.resume() }
        // No connection is accepted before the reactor has stopped to look.
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        let reactor = Task {
            await session.onReactor {
                beginning.finish()
                return text.isEmpty
                    ? ClientSockets.waitForEnd(from: hole.port)
                    : ClientSockets.waitForInput(of: text.utf8.count, from: hole.port)
            }
        }
        for await _ in begun {}
        await hole.letIn(saying: text) { delegate.record.completions > 0 }
        #expect(await reactor.value)
        let error = try #require(delegate.record.error)
        #expect(text.isEmpty ? error.reason.isConnectionLoss : error.reason.malformation == .unexpectedBytes)
        #expect(error.phase == .connect)
        #expect(!error.wasSent)
    }

    // Bytes that no request asked for

    struct Stray: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: String
        let stray: String
        var method = "GET"
    }

    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmine"
    private static let strays = [
        Stray(testDescription: "a second response", answer: ok, stray: ok.replacing("mine", with: "evil")),
        Stray(testDescription: "one byte", answer: ok, stray: "x"),
        Stray(testDescription: "an empty line", answer: ok, stray: "\r\n"),
        Stray(testDescription: "a last chunk", answer: ok, stray: "0\r\n\r\n"),
        Stray(
            testDescription: "a byte after the last chunk",
            answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nmine\r\n0\r\n\r\n", stray: "x"),
        Stray(testDescription: "a body after 204", answer: "HTTP/1.1 204 No Content\r\n\r\n", stray: "evil"),
        Stray(testDescription: "a body after 304", answer: "HTTP/1.1 304 Not Modified\r\n\r\n", stray: ok),
        Stray(
            testDescription: "a body after HEAD", answer: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", stray: "evil",
            method: "HEAD"),
        Stray(testDescription: "an informational response", answer: ok, stray: "HTTP/1.1 103 Early Hints\r\n\r\n"),
    ]

    @Test(arguments: strays, [false, true])
    func `bytes that arrive together with a response answer no request`(_ stray: Stray, isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { connection, _ in
            connection == 1 ? [.send(stray.answer + stray.stray), .awaitClose] : [.ok("next")]
        }
        let session = try Session.trusting(authority)
        // The second waits for the first one's connection, and must not get it.
        async let first = session.data(for: URLRequest(origin, method: stray.method))
        #expect(await origin.waitFor { $0.headCount == 1 })
        async let second = session.text(URLRequest(origin))
        #expect(try await first.1.statusCode / 100 != 5)
        #expect(try await second == "next")
        #expect(try await session.text(URLRequest(origin)) == "next")
        #expect(origin.connectionCount == 2)
    }

    @Test(arguments: strays, [false, true])
    func `bytes on an idle connection answer no request`(_ stray: Stray, isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { connection, _ in
            connection == 1
                ? [.send(stray.answer), .pause(.milliseconds(5)), .send(stray.stray), .awaitClose] : [.ok("next")]
        }
        let session = try Session.trusting(authority)
        _ = try await session.data(for: URLRequest(origin, method: stray.method))
        #expect(await origin.waitFor { $0.openConnections == 0 })
        #expect(try await session.text(URLRequest(origin)) == "next")
        #expect(origin.connectionCount == 2)
    }

    @Test(arguments: [false, true])
    func `bytes on an idle connection do not get into what another one is reading`(isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let identity = isSecure ? try authority.issue() : nil
        let stray = String(repeating: "x", count: 8000)
        let idle = try ScriptedOrigin(tls: identity) { connection, _ in
            connection == 1 ? [.ok(), .hold, .send(stray), .awaitClose] : [.ok("next")]
        }
        // Too much to be delivered together with the rest.
        let first = String(repeating: "-", count: 0x1000)
        let rest = String(repeating: "mine", count: 1000)
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let origin = try ScriptedOrigin(tls: identity) { _, _ in
            [.send(head + "1000\r\n\(first)\r\nfa0\r\n\(rest)\r\n0\r\n\r\n"), .awaitClose]
        }
        let session = try Session.trusting(authority)
        let request = try URLRequest(idle)
        _ = try await session.data(for: request)
        let next = RecordingDelegate()
        let delegate = RecordingDelegate { _, event in
            guard event == .body(first.count) else { return }
            #expect(throws: Never.self) { try idle.release() }
            #expect(ClientSockets.waitForInput(of: stray.count, from: idle.port))
            session.dataTask(with: request, delegate: next).resume()
        }
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        let record = await delegate.end()
        #expect(record.error == nil)
        #expect(String(decoding: record.body, as: UTF8.self) == first + rest)
        #expect(String(decoding: await next.end().body, as: UTF8.self) == "next")
        #expect(idle.connectionCount == 2)
    }
}
