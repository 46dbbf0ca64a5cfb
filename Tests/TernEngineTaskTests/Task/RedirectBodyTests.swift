// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// What becomes of a redirect's own body, and of the connection it comes on.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RedirectBodyTests {
    enum Framing: CaseIterable, Sendable { case length, chunks, untilClose }

    private static func steps(_ framing: Framing, _ count: Int) -> [ScriptedOrigin.Step] {
        let head = "HTTP/1.1 302 \r\nLocation: /there\r\n"
        let body = String(repeating: "x", count: count)
        switch framing {
        case .length: return [.send("\(head)Content-Length: \(count)\r\n\r\n\(body)")]
        case .chunks:
            let pieces = stride(from: 0, to: count, by: 1000).map { String(body.dropFirst($0).prefix(1000)) }
            return [.chunked(pieces, status: 302, fields: [("Location", "/there")], trailers: [("X-Last", "word")])]
        case .untilClose: return [.send("\(head)Connection: close\r\n\r\n\(body)"), .close]
        }
    }

    @Test(
        arguments: [
            0, 1, 5000, TaskMachine.maximumDiscardedContent, TaskMachine.maximumDiscardedContent + 1, 1_000_000,
        ], Framing.allCases)
    func `a body up to the limit keeps the connection, one beyond it costs it`(
        count: Int, framing: Framing
    ) async throws {
        for isSecure in [false, true] {
            let authority = try CertificateAuthority()
            let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, request in
                request.target == "/a" ? Self.steps(framing, count) : [.ok("there")]
            }
            let session = try Session.trusting(authority)
            let delegate = RecordingDelegate()
            let task = session.dataTask(with: try URLRequest(origin, "/a"), delegate: delegate)
            task.resume()
            let record = await delegate.end()
            #expect(record.events == [.head(200), .body(5), .end(failed: false)])
            let isKept = framing != .untilClose && count <= TaskMachine.maximumDiscardedContent
            #expect(origin.connectionCount == (isKept ? 1 : 2))
            let first = try #require(task.metrics?.hops.first)
            #expect(first.requestSent != nil)
            #expect(first.countOfBytesSent > 0)
            #expect(first.countOfBytesReceived >= UInt64(min(count, TaskMachine.maximumDiscardedContent)))
            #expect(try await session.text(URLRequest(origin)) == "there")
            #expect(origin.connectionCount == (isKept ? 1 : 2))
        }
    }

    @Test func `a body without end is not waited for`() async throws {
        let origin = try ScriptedOrigin { _, request in
            if request.target != "/a" { return [.ok("there")] }
            return [
                .send("HTTP/1.1 302 \r\nLocation: /there\r\nTransfer-Encoding: chunked\r\n\r\n"),
                .repeat(
                    Array("1000\r\n".utf8) + Array(repeating: 120, count: 0x1000) + Array("\r\n".utf8), count: .max),
            ]
        }
        let session = Session.limited()
        #expect(try await session.text(URLRequest(origin, "/a")) == "there")
        #expect(await origin.waitFor { $0.openConnections == 1 })
        // Whose end would close the other one too.
        withExtendedLifetime(session) {}
    }

    @Test(arguments: ["HTTP/1.1 302 \r\nLocation: /there\r\nContent-Length: 0\r\n\r\n"], ["GET", "HEAD", "POST"])
    func `a redirect without a body keeps the connection`(text: String, method: String) async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/a" ? [.send(text)] : [.respond(status: 204, fields: [("Content-Length", "0")])]
        }
        _ = try await Session.limited().data(for: URLRequest(origin, "/a", method: method))
        #expect(origin.requests.map(\.target) == ["/a", "/there"])
        #expect(origin.connectionCount == 1)
    }

    @Test(
        arguments: [
            "Content-Length: 100\r\n\r\nhalf", "Transfer-Encoding: chunked\r\n\r\n64\r\nhalf",
            "Content-Length: 100\r\n\r\n",
        ], [ScriptedOrigin.Step.close, .closeAbruptly, .reset])
    func `a redirect whose connection dies within its body is followed`(
        rest: String, end: ScriptedOrigin.Step
    ) async throws {
        for isSecure in [false, true] {
            let authority = try CertificateAuthority()
            let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, request in
                if request.target == "/there" { return [.ok(request.summary)] }
                return [.send("HTTP/1.1 307 \r\nLocation: /there\r\n" + rest), .hold, end]
            }
            let session = try Session.trusting(authority)
            let delegate = RecordingDelegate()
            let task = session.dataTask(
                with: try URLRequest(origin, "/a", method: "POST", body: Data("once".utf8)), delegate: delegate)
            task.resume()
            while task.currentRequest?.url?.path() != "/there" { await session.settle() }
            try origin.release()
            let record = await delegate.end()
            #expect(record.error == nil)
            #expect(String(decoding: record.body, as: UTF8.self) == "POST /there 4")
            #expect(origin.requests.map(\.target) == ["/a", "/there"])
            #expect(origin.connectionCount == 2)
        }
    }

    /// What a server may do with the rest of a response that is not the answer.
    static let rests: [(name: String, fields: String, steps: [OriginStep])] = [
        ("stalls", "Content-Length: 1000", [.awaitClose]),
        ("drips", "Content-Length: 1000", (0..<200).flatMap { _ in [.send("x"), .pause(.milliseconds(50))] }),
        ("breaks the rules", "Transfer-Encoding: chunked", [.send("nonsense\r\n"), .awaitClose]),
        ("breaks off", "Content-Length: 1000", [.send("x"), .closeAbruptly]),
        (
            "is longer than is read", "Content-Length: 1000000",
            [.send(String(repeating: "x", count: 100_000)), .awaitClose]
        ),
    ]

    @Test(arguments: rests)
    func `the rest of a response that is not the answer does not hold up what follows it`(
        _ rest: (name: String, fields: String, steps: [OriginStep])
    ) async throws {
        let (fields, steps) = (rest.fields, rest.steps)
        let count = Lock(0)
        let origin = try ScriptedOrigin { _, request in
            func head(_ status: Int, _ more: String) -> [OriginStep] {
                [.send("HTTP/1.1 \(status) \r\n\(more)\r\n\(fields)\r\n\r\n")] + steps
            }
            let isFirst = count.withLock { count in
                defer { count += 1 }
                return count % 2 == 0
            }
            guard isFirst else { return [.ok("answer")] }
            switch request.target {
            case "/redirect": return head(302, "Location: /there")
            case "/challenge": return head(401, "WWW-Authenticate: Basic realm=r")
            default: return head(503, "Retry-After: 0")
            }
        }
        let session = Session.limited(to: 8) {
            $0.retryPolicy = .standard
            $0.retryPolicy.backOff.base = .milliseconds(1)
        }
        for path in ["/redirect", "/challenge", "/retry"] {
            var request = try URLRequest(origin, path).limited(to: Timeouts(total: .seconds(20)))
            request.credential = PasswordCredential(user: "u", password: "p")
            let start = ContinuousClock.now
            #expect(try await session.text(request) == "answer", "\(rest.name) \(path)")
            #expect(ContinuousClock.now - start < .seconds(5), "\(rest.name) \(path)")
        }
        #expect(origin.requests.count == 6)
    }

    /// Suspends its task when it follows a redirect.
    private final class Suspending: SessionTaskDelegate {
        let record = RecordingDelegate()

        func handle(_ event: TaskEvent, of task: SessionTask) {
            guard case .redirect(_, let request, let question) = event else { return record.handle(event, of: task) }
            task.suspend()
            question.answer(.follow(request))
        }

        func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) { record.task(task, didReceive: bytes) }

        func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
            record.task(task, didCompleteWith: error)
        }
    }

    @Test func `nor does it hold up a task that was suspended meanwhile, once that is resumed`() async throws {
        let origin = try ScriptedOrigin { _, request in
            if request.target != "/a" { return [.ok("there")] }
            return [.send("HTTP/1.1 302 \r\nLocation: /there\r\nContent-Length: 1000\r\n\r\n"), .awaitClose]
        }
        let (session, delegate) = (Session.limited(to: 2), Suspending())
        let task = session.dataTask(with: try URLRequest(origin, "/a"), delegate: delegate)
        task.resume()
        while task.state != .suspended { await session.settle() }
        #expect(origin.requests.map(\.target) == ["/a"])
        let start = ContinuousClock.now
        task.resume()
        #expect(String(decoding: await delegate.record.end().body, as: UTF8.self) == "there")
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test(arguments: [302, 401, 503])
    func `the content of a response that is not the answer does not count`(status: Int) async throws {
        let fields = [(name: "Location", value: "/there"), ("WWW-Authenticate", "Basic realm=r"), ("Retry-After", "0")]
        let origin = try ScriptedOrigin { _, request in
            if request.index > 0 { return [.ok("the answer")] }
            return [.respond(status: status, fields: fields, body: [UInt8](repeating: 1, count: 20_000))]
        }
        let session = Session.limited {
            $0.retryPolicy = .standard
            $0.retryPolicy.backOff.base = .milliseconds(1)
        }
        var request = try URLRequest(origin)
        request.credential = PasswordCredential(user: "u", password: "p")
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: request, delegate: delegate)
        task.resume()
        #expect(await delegate.end().events == [.head(200), .body(10), .end(failed: false)])
        #expect(origin.requests.count == 2 && task.countOfBytesReceived == 10)
    }

    @Test func `what follows a redirect unasked answers nothing`() async throws {
        let origin = try ScriptedOrigin { connection, request in
            if request.target != "/a" { return [.ok("true")] }
            return [
                .send(
                    "HTTP/1.1 302 \r\nLocation: /there\r\nContent-Length: 5\r\n\r\nmoved"
                        + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfalse")
            ]
        }
        #expect(try await Session.limited().text(URLRequest(origin, "/a")) == "true")
        #expect(origin.connectionCount == 2)
    }

    @Test func `a kept connection that dies after a redirect is replaced, and the task does not notice`() async throws {
        let origin = try ScriptedOrigin { connection, request in
            if connection == 1, request.target == "/there" { return [.close] }
            return [request.target == "/a" ? .redirect(to: "/there") : .ok("there")]
        }
        let delegate = RecordingDelegate()
        let session = Session.limited()
        let task = session.dataTask(with: try URLRequest(origin, "/a"), delegate: delegate)
        task.resume()
        #expect(await delegate.end().error == nil)
        #expect(task.metrics?.hops.map(\.repeatCount) == [0, 1])
        #expect(origin.requests.map(\.target) == ["/a", "/there", "/there"])
    }

    @Test func `a POST that a redirect has sent on is not sent twice`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/a" ? [.redirect(307, to: "/there")] : [.close]
        }
        let error = await Session.limited().failure(
            of: try URLRequest(origin, "/a", method: "POST", body: Data("once".utf8)))
        #expect(error?.reason.isConnectionLoss == true)
        #expect(error?.wasSent == true)
        #expect(error?.phase == .head)
        #expect(origin.requests.map(\.target) == ["/a", "/there"])
    }
}
