// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct ConnectionFramingTests {
    struct Response: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [ScriptedOrigin.Step]
        let body: String
        let keepsConnection: Bool
        var status = 200
        var method = "GET"
    }

    private static let pieces = (1...20).map { String(repeating: "x", count: $0 * $0) }

    private static let responses = [
        Response(testDescription: "length", steps: [.ok("body")], body: "body", keepsConnection: true),
        Response(testDescription: "length of zero", steps: [.ok()], body: "", keepsConnection: true),
        Response(
            testDescription: "chunks", steps: [.chunked(pieces)], body: pieces.joined(), keepsConnection: true),
        Response(testDescription: "no chunks", steps: [.chunked([])], body: "", keepsConnection: true),
        Response(
            testDescription: "until close", steps: [.send("HTTP/1.1 200 OK\r\n\r\nbody"), .close], body: "body",
            keepsConnection: false),
        Response(
            testDescription: "HTTP/1.0 until close", steps: [.send("HTTP/1.0 200 OK\r\n\r\nbody"), .close],
            body: "body",
            keepsConnection: false),
        Response(
            testDescription: "HTTP/1.0 with length",
            steps: [.send("HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nbody"), .awaitClose], body: "body",
            keepsConnection: false),
        Response(
            testDescription: "HTTP/1.0 kept alive",
            steps: [.send("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 4\r\n\r\nbody")], body: "body",
            keepsConnection: true),
        Response(
            testDescription: "204", steps: [.send("HTTP/1.1 204 No Content\r\n\r\n")], body: "", keepsConnection: true,
            status: 204),
        Response(
            testDescription: "304 with a length",
            steps: [.send("HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n")], body: "",
            keepsConnection: true, status: 304),
        Response(
            testDescription: "HEAD with a length", steps: [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")],
            body: "", keepsConnection: true, method: "HEAD"),
        Response(
            testDescription: "HEAD with chunks",
            steps: [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")], body: "", keepsConnection: true,
            method: "HEAD"),
        Response(
            testDescription: "Connection: close, kept open by the server",
            steps: [.respond(fields: [("Connection", "close")], body: "body"), .awaitClose], body: "body",
            keepsConnection: false),
        Response(
            testDescription: "401 with a challenge",
            steps: [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=x, Negotiate")], body: "no")],
            body: "no", keepsConnection: true, status: 401),
        Response(
            testDescription: "a body in the same segment as FIN", steps: [.ok("body"), .close], body: "body",
            keepsConnection: false),
    ]

    @Test(arguments: responses, [false, true])
    func `delivers every kind of body`(_ response: Response, isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { connection, request in
            request.target == "/next" ? [.ok("\(connection)")] : response.steps
        }
        let session = try Session.trusting(authority)
        let (data, head) = try await session.data(for: URLRequest(origin, method: response.method))
        #expect(String(decoding: data, as: UTF8.self) == response.body)
        #expect(head.statusCode == response.status)
        if !response.keepsConnection { #expect(await origin.waitFor { $0.openConnections == 0 }) }
        #expect(try await session.text(URLRequest(origin, "/next")) == (response.keepsConnection ? "1" : "2"))
    }

    @Test func `delivers a response that comes byte by byte`() async throws {
        let text =
            "HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX-T: 1\r\n\r\n"
        let origin = try ScriptedOrigin { _, _ in [.drip(Array(text.utf8), every: .microseconds(100))] }
        let delegate = RecordingDelegate()
        let session = Session.limited()
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        let record = await delegate.end()
        #expect(record.error == nil)
        #expect(record.body == Array("abcde".utf8))
        #expect(record.events.first == .informational(103))
        #expect(record.events.suffix(2) == [.trailers(["X-T: 1"]), .end(failed: false)])
    }

    @Test func `delivers everything to the delegate in order`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [
                .send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"),
                .send("HTTP/1.1 103 Early Hints\r\n\r\n"),
                .chunked(["abc"], trailers: [("X-One", "1"), ("X-Two", "2")]),
            ]
        }
        let session = Session.limited()
        let delegate = RecordingDelegate()
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        let record = await delegate.end()
        #expect(
            record.events == [
                .informational(100), .informational(102), .informational(103), .head(200), .body(3),
                .trailers(["X-One: 1", "X-Two: 2"]), .end(failed: false),
            ])
    }

    @Test func `delivers a response whose trailer section has what is no trailer, and obeys none of that`() async throws
    {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/next"
                ? [.ok("answer")]
                : [
                    .chunked(
                        ["abc"],
                        trailers: [
                            ("Set-Cookie", "a=b"), ("X-One", "1"), ("Content-Length", "7"), ("Connection", "close"),
                        ])
                ]
        }
        let session = Session.limited()
        let delegate = RecordingDelegate()
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        let record = await delegate.end()
        #expect(
            record.events == [
                .head(200), .body(3), .trailers(["X-One: 1"]),
                .discarded(["Set-Cookie: a=b", "Content-Length: 7", "Connection: close"]), .end(failed: false),
            ])
        #expect(try await session.text(URLRequest(origin, "/next")) == "answer")
        #expect(origin.requests.map(\.connection) == [1, 1])
    }

    @Test func `gives the final response after many informational ones, and an error after endless ones`() async throws
    {
        let origin = try ScriptedOrigin { _, request in
            let early = Array("HTTP/1.1 103 Early Hints\r\n\r\n".utf8)
            return request.target == "/ten"
                ? [.repeat(early, count: 10), .ok("final")] : [.repeat(early, count: 1 << 30)]
        }
        let session = Session.limited()
        #expect(try await session.text(URLRequest(origin, "/ten")) == "final")
        let error = await session.failure(of: try URLRequest(origin, "/endless"))
        #expect(error?.reason.malformation?.reason == .limit(.informationalResponseCount))
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `refuses to switch protocols`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [
                .send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nframes"),
                .awaitClose,
            ]
        }
        let session = Session.limited()
        let unasked = await session.failure(of: try URLRequest(origin))
        #expect(unasked?.reason.malformation?.reason == .unsolicited(.upgrade))
        var request = try URLRequest(origin)
        request.setValue("websocket", forHTTPHeaderField: "Upgrade")
        request.setValue("Upgrade", forHTTPHeaderField: "Connection")
        let asked = await session.failure(of: request)
        if case .transfer(.upgradeNotTaken) = asked?.reason {} else { Issue.record("\(String(describing: asked))") }
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.6\r\n", "HTTP/2.0 200 OK\r\n\r\n", "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
        "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length : 1\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxyz\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nx", "\0\u{1}\u{2}\u{3}",
    ])
    func `closes on what is no HTTP`(_ text: String) async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/good" ? [.ok("good")] : [.send(text), .awaitClose]
        }
        let session = Session.limited()
        let error = await session.failure(of: try URLRequest(origin))
        #expect(error?.reason.malformation != nil, "\(String(describing: error))")
        #expect(error?.wasSent == true)
        #expect(await origin.waitFor { $0.openConnections == 0 })
        #expect(try await session.text(URLRequest(origin, "/good")) == "good")
    }

    // What is delivered together

    @Test(arguments: [false, true])
    func `the content of small chunks that came together is delivered together, and of large ones separately`(
        isSecure: Bool
    ) async throws {
        let sizes = [1, 2, 3, 4096, 5, 4095, 6, 20_000, 7]
        let pieces = sizes.enumerated().map { number, size in String(repeating: "\(number)", count: size) }
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, _ in [.chunked(pieces)] }
        let session = try Session.trusting(authority)
        let delegate = RecordingDelegate()
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        let record = await delegate.end()
        #expect(record.error == nil)
        #expect(String(decoding: record.body, as: UTF8.self) == pieces.joined())
        let told = record.events.compactMap { if case .body(let count) = $0 { count } else { nil } }
        #expect(told.count < sizes.count)
        #expect(told.allSatisfy { $0 <= 20_000 + 16 * 1024 })
        #expect(origin.connectionCount == 1)
    }

    /// Of chunks of all sizes, in reads of all sizes, with a reader that stops within what is offered.
    @Test(arguments: 1...8)
    func `whatever is delivered together, every byte is delivered once and in order`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let body = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        var wire = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        var start = 0
        while start < body.count {
            let most = [1, 9, 300, 5000, 40_000].randomElement(using: &generator) ?? 1
            let end = min(body.count, start + Int.random(in: 1...most, using: &generator))
            wire += Array(String(end - start, radix: 16).utf8) + [13, 10] + body[start..<end] + [13, 10]
            start = end
        }
        wire += Array("0\r\n\r\n".utf8)
        var steps: [ScriptedOrigin.Step] = []
        var sent = 0
        while sent < wire.count {
            let end = min(wire.count, sent + Int.random(in: 1...30_000, using: &generator))
            steps.append(.send(Array(wire[sent..<end])))
            sent = end
        }
        let origin = try ScriptedOrigin { [steps] _, _ in steps }
        let delegate = RecordingDelegate { task, event in
            guard case .body(let count) = event, count % 3 == 0 else { return }
            task.suspend()
            Task { task.resume() }
        }
        let session = Session.limited()
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        let record = await delegate.end()
        withExtendedLifetime(session) {}
        #expect(record.error == nil)
        #expect(record.body == body)
    }
}
