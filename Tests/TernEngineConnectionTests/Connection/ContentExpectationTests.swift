// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
import TernLock

/// `Expect: 100-continue` (RFC 9110 §10.1.1).
@Suite(.serialized, .timeLimit(.minutes(5))) struct ContentExpectationTests {
    // Not kept: LeakSanitizer does not find what a global holds by a tagged pointer.
    private static var body: Data { Data(repeating: 5, count: 40_000) }

    private static func request(
        _ origin: ScriptedOrigin, _ content: RequestBody = .data(body), waiting limit: Duration = .seconds(60),
        idle: Duration? = .seconds(60)
    ) throws -> URLRequest {
        var request = try URLRequest(origin, method: "PUT")
        request.body = content
        request.setValue("100-continue", forHTTPHeaderField: "Expect")
        var timeouts = Timeouts(idle: idle)
        timeouts.continue = limit
        request.timeouts = timeouts
        return request
    }

    @Test(arguments: [false, true])
    func `content goes as soon as the server asks for it, and the connection is used again`(isSecure: Bool) async throws
    {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, request in
            [.ok("\(request.body.count)")]
        }
        let session = try Session.trusting(authority)
        let file = try TestFile(Self.body)
        let source = ProbingSource([Self.body])
        let small = Data("small".utf8)
        for content in [.data(Self.body), .data(small), .file(path: file.path), RequestBody.once(source)] {
            let delegate = RecordingDelegate()
            session.dataTask(with: try Self.request(origin, content), delegate: delegate).resume()
            let record = await delegate.end()
            #expect(record.events.prefix(2) == [.informational(100), .head(200)])
        }
        #expect(origin.requests.map { Data($0.body) } == [Self.body, small, Self.body, Self.body])
        #expect(origin.connectionCount == 1)
        #expect(source.record.finishes == 1)
    }

    @Test func `nothing of the content goes before the server's word`() async throws {
        let origin = try ScriptedOrigin(onHead: { _, _ in [.hold, .send("HTTP/1.1 100 Continue\r\n\r\n")] }) {
            _, _ in [.ok()]
        }
        let session = Session.limited()
        let source = ProbingSource([Self.body])
        let task = session.dataTask(
            with: try Self.request(origin, .once(source)), delegate: RecordingDelegate())
        task.resume()
        #expect(await origin.waitFor { $0.headCount == 1 })
        await session.settle()
        #expect(source.record.asks == 0)
        task.cancel()
        await session.settle()
        #expect(source.record == ProbingSource.Record(asks: 0, finishes: 1))
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `a server that does not answer gets the content after the timeout`() async throws {
        let origin = try ScriptedOrigin(onHead: { _, request in request.method == "PUT" ? [.receive(1)] : [] }) {
            _, request in [.ok("\(request.body.count)")]
        }
        let session = Session.limited()
        let text = try await session.text(Self.request(origin, waiting: .milliseconds(50)))
        #expect(text == "\(Self.body.count)")
        #expect(try await session.text(URLRequest(origin)) == "0")
        #expect(origin.connectionCount == 1)
    }

    @Test func `or after the idle timeout, if that is shorter`() async throws {
        let origin = try ScriptedOrigin(onHead: { _, _ in [.receive(1)] }) { _, request in
            [.ok("\(request.body.count)")]
        }
        try await BriefLimit.expect("\(Self.body.count)") { limit in
            try await Session.limited().text(Self.request(origin, waiting: .seconds(60), idle: limit))
        }
    }

    @Test(arguments: [SessionError.TimeLimit.idle, .total])
    func `the other timeouts continue after the one on that wait`(limit: SessionError.TimeLimit) async throws {
        let origin = try ScriptedOrigin(onHead: { _, _ in [.receive(1)] }) { _, _ in [.awaitClose] }
        var request = try Self.request(
            origin, waiting: .milliseconds(50), idle: limit == .idle ? .milliseconds(200) : nil)
        request.timeouts?.total = limit == .total ? .milliseconds(400) : nil
        let session = Session.limited()
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: request, delegate: delegate)
        task.resume()
        // So that it ends also where the limit does not.
        let watchdog = Task {
            try await Task.sleep(for: .seconds(20))
            task.cancel()
        }
        #expect(await delegate.end().error?.reason.limit == limit)
        watchdog.cancel()
    }

    @Test(arguments: [200, 401, 413])
    func `a final answer is the answer, and the content is never sent`(status: Int) async throws {
        let origin = try ScriptedOrigin(onHead: { _, request in
            request.method == "PUT" ? [.respond(status: status, body: "no"), .awaitClose] : []
        }) { _, _ in [.ok("next")] }
        let session = Session.limited()
        let source = ProbingSource([Self.body])
        let (data, response) = try await session.data(for: Self.request(origin, .once(source)))
        #expect(response.statusCode == status)
        #expect(data == Data("no".utf8))
        #expect(source.record == ProbingSource.Record(asks: 0, finishes: 1))
        #expect(try await session.text(URLRequest(origin)) == "next")
        #expect(origin.connectionCount == 2)
        #expect(await origin.waitFor { $0.requests.contains { $0.method == "PUT" } })
        #expect(origin.requests.first { $0.method == "PUT" }?.body.isEmpty == true)
    }

    @Test func `a server that does not know what is expected is asked without, once`() async throws {
        let origin = try ScriptedOrigin(onHead: { _, request in
            request.value(of: "expect") == nil ? [] : [.respond(status: 417), .awaitClose]
        }) { _, request in [.respond(status: request.body.count == 40_000 ? 417 : 400)] }
        let made = Lock(0)
        let content = RequestBody.stream {
            made.withLock { $0 += 1 }
            return ProbingSource([Self.body])
        }
        let (_, response) = try await Session.limited().data(for: Self.request(origin, content))
        #expect(response.statusCode == 417)
        #expect(response.history.isEmpty)
        #expect(made.withLock { $0 } == 1)
        #expect(origin.observations.headCount == 2)
        #expect(origin.observations.requestCount == 1)
    }

    @Test func `interim responses before and after the word, and the word itself twice, change nothing`() async throws {
        let word = "HTTP/1.1 100 Continue\r\n\r\n"
        let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        let origin = try ScriptedOrigin(onHead: { _, _ in
            [.send("HTTP/1.1 102 Processing\r\n\r\n" + word + word + hints)]
        }) {
            _, request in [.send(hints + word), .ok("\(request.body.count)")]
        }
        let session = Session.limited()
        for _ in 0..<2 {
            let delegate = RecordingDelegate()
            session.dataTask(with: try Self.request(origin), delegate: delegate).resume()
            let record = await delegate.end()
            let codes = record.events.compactMap { if case .informational(let code) = $0 { code } else { nil } }
            #expect(codes == [102, 100, 100, 103, 103, 100])
            #expect(record.body == Array("\(Self.body.count)".utf8))
        }
        #expect(origin.connectionCount == 1)
    }

    @Test func `the server's word may come after the wait for it`() async throws {
        let origin = try ScriptedOrigin(
            onHead: { _, _ in [.receive(1), .send("HTTP/1.1 100 Continue\r\n\r\n")] }) { _, request in
                [.ok("\(request.body.count)")]
            }
        let session = Session.limited()
        for _ in 0..<2 {
            #expect(
                try await session.text(Self.request(origin, waiting: .milliseconds(20))) == "\(Self.body.count)")
        }
        #expect(origin.connectionCount == 1)
    }

    @Test(arguments: [307, 308]) func `a redirect before the content was sent is followed with it`(status: Int)
        async throws
    {
        let origin = try ScriptedOrigin(onHead: { _, request in
            request.target == "/"
                ? [.respond(status: status, fields: [("Location", "/there")]), .awaitClose]
                : [.send("HTTP/1.1 100 Continue\r\n\r\n")]
        }) { _, request in [.ok("\(request.body.count)")] }
        let file = try TestFile(Self.body)
        let session = Session.limited()
        for content in [.data(Self.body), .file(path: file.path), RequestBody.stream { ProbingSource([Self.body]) }] {
            #expect(try await session.text(Self.request(origin, content)) == "\(Self.body.count)")
        }
        #expect(file.openCount == 0)
    }
}
