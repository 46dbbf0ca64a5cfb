// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Redirects from end to end: the next request, and the result.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RedirectTests {
    @Test(arguments: [301, 302, 303, 307, 308], ["GET", "HEAD", "POST", "PUT", "DELETE"])
    func `the next request has the method and the content that RFC 9110 gives it`(
        status: Int, method: String
    ) async throws {
        let origin = try ScriptedOrigin { _, request in
            guard let (status, location) = request.redirection else {
                return [request.method == "HEAD" ? .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n") : .ok("there")]
            }
            let head = "HTTP/1.1 \(status) \r\nLocation: \(location)\r\nContent-Length: 5\r\n\r\n"
            return [.send(request.method == "HEAD" ? head : head + "moved")]
        }
        let hasBody = method == "POST" || method == "PUT"
        for size in hasBody ? [3, 100_000] : [0] {
            let body: Data? = hasBody ? Data(repeating: 7, count: size) : nil
            var request = try URLRequest(origin, "/\(status)?/there", method: method, body: body)
            if hasBody { request.setValue("text/plain", forHTTPHeaderField: "Content-Type") }
            request.setValue("word", forHTTPHeaderField: "X-Word")
            let (data, response) = try await Session.limited().data(for: request)
            let last = try #require(origin.requests.last)
            let becomesGET =
                (status == 303 && method != "HEAD") || (method == "POST" && (status == 301 || status == 302))
            #expect(last.target == "/there")
            #expect(last.method == (becomesGET ? "GET" : method))
            #expect(last.body.count == (becomesGET ? 0 : size))
            #expect((last.value(of: "Content-Type") != nil) == (hasBody && !becomesGET))
            #expect((last.value(of: "Content-Length") != nil) == (hasBody && !becomesGET))
            #expect(last.value(of: "X-Word") == "word")
            #expect(response.statusCode == 200)
            #expect(String(decoding: data, as: UTF8.self) == (last.method == "HEAD" ? "" : "there"))
        }
    }

    @Test(
        arguments: [
            ("/b", "/b"), ("b", "/dir/b"), ("../b", "/b"), ("./b/./c", "/dir/b/c"), ("?q=1", "/dir/a?q=1"),
            ("//HOST/b", "/b"), ("http://HOST", "/"), ("HTTP://HOST/b", "/b"), ("/a b", "/a%20b"),
            ("/\u{e9}", "/%C3%A9"), ("/b#part", "/b"), ("http://user:word@HOST/b", "/b"), ("/a?b=c?d", "/a?b=c?d"),
        ])
    func `a Location is read as servers write it`(location: String, target: String) async throws {
        let origin = try ScriptedOrigin { _, request in
            if request.target != "/dir/a" { return [.ok(request.target)] }
            let host = request.value(of: "Host") ?? ""
            return [.redirect(to: location.replacing("HOST", with: host))]
        }
        #expect(try await Session.limited().text(URLRequest(origin, "/dir/a")) == target)
        #expect(origin.requests.last?.value(of: "Authorization") == nil)
        #expect(origin.connectionCount == 1)
    }

    @Test(arguments: [("/b", "mine"), ("/b#theirs", "theirs"), ("/b#", "")])
    func `a fragment goes along unless the Location has its own, and is never sent`(
        location: String, fragment: String
    ) async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/a" ? [.redirect(to: location)] : [.ok(request.target)]
        }
        let (data, response) = try await Session.limited().data(for: URLRequest(origin, "/a#mine"))
        #expect(String(decoding: data, as: UTF8.self) == "/b")
        #expect(response.url?.absoluteString == origin.url("/b#\(fragment)"))
    }

    @Test func `the response has the history, and the metrics every hop of it`() async throws {
        let (second, first) = (try ScriptedOrigin.redirecting(), try ScriptedOrigin.redirecting())
        let session = Session.limited()
        let way = "/301?/307?" + second.url("/there")
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: try URLRequest(first, way), delegate: delegate)
        task.resume()
        let record = await delegate.end()
        #expect(record.events == [.head(200), .body(12), .end(failed: false)])
        #expect(String(decoding: record.body, as: UTF8.self) == "GET /there 0")

        let response = try #require(task.response)
        #expect(response.url?.absoluteString == second.url("/there"))
        #expect(response.history.map(\.statusCode) == [301, 307])
        #expect(
            response.history.map { $0.url?.absoluteString }
                == [way, "/307?" + second.url("/there")].map { first.url($0) })
        #expect(response.history.map(\.history.count) == [0, 1])
        #expect(task.originalRequest.url?.absoluteString == first.url(way))
        #expect(task.currentRequest?.url?.absoluteString == second.url("/there"))

        let metrics = try #require(task.metrics)
        #expect(metrics.redirectCount == 2)
        #expect(metrics.hops.map(\.statusCode) == [301, 307, 200])
        #expect(metrics.hops.map(\.isConnectionReused) == [false, true, false])
        #expect(metrics.hops.map(\.connection?.remoteAddress.port) == [first.port, first.port, second.port])
        #expect(metrics.hops.map(\.repeatCount) == [0, 0, 0])
        for hop in metrics.hops {
            #expect(hop.countOfBytesSent > 50 && hop.countOfBytesReceived > 30)
            let times = [hop.start, hop.connectionAcquired, hop.requestSent, hop.responseStart, hop.end].compactMap(
                \.self)
            #expect(times.count == 5 && times == times.sorted())
        }
        #expect(zip(metrics.hops, metrics.hops.dropFirst()).allSatisfy { ($0.end ?? $1.start) <= $1.start })
        #expect(
            metrics.hops.reduce(0) { $0 + $1.countOfBytesSent }
                == UInt64(first.observations.bytesReceived + second.observations.bytesReceived))
    }

    /// One method is enough.
    private final class Refusing: SessionTaskDelegate {
        func task(
            _ task: SessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
            _ question: DelegateQuestion<RedirectAnswer>
        ) {
            question.answer(.deliver)
        }
    }

    @Test(.proves("14.17a")) func `a delegate may answer redirects and nothing else`() async throws {
        let origin = try ScriptedOrigin.redirecting()
        let session = Session.limited()
        let task = session.dataTask(with: try URLRequest(origin, "/302?/there"), delegate: Refusing())
        task.resume()
        while task.state != .completed { await session.settle() }
        #expect(task.response?.statusCode == 302)
        #expect(origin.requests.count == 1)
    }

    @Test func `informational responses of every hop are delivered`() async throws {
        let origin = try ScriptedOrigin { _, request in
            let early = ScriptedOrigin.Step.send("HTTP/1.1 103 Early\r\nLocation: /wrong\r\n\r\n")
            return [early, request.target == "/a" ? .redirect(to: "/b") : .ok("there")]
        }
        let delegate = RecordingDelegate()
        let session = Session.limited()
        session.dataTask(with: try URLRequest(origin, "/a"), delegate: delegate).resume()
        let record = await delegate.end()
        #expect(record.events == [.informational(103), .informational(103), .head(200), .body(5), .end(failed: false)])
        #expect(origin.requests.map(\.target) == ["/a", "/b"])
    }

    @Test func `twenty redirects are followed, or as many as the policy says, and not one more`() async throws {
        let origin = try ScriptedOrigin { _, request in
            let number = Int(request.target.dropFirst()) ?? 0
            return [number == 0 ? .ok("there") : .redirect(to: "/\(number - 1)")]
        }
        let session = Session.limited()
        #expect(try await session.text(URLRequest(origin, "/20")) == "there")
        #expect(await session.failure(of: try URLRequest(origin, "/21"))?.reason.redirection == .tooMany(limit: 20))
        #expect(origin.requests.count == 42)
        var request = try URLRequest(origin, "/4")
        request.redirectPolicy = .follow(limit: 3)
        #expect(await session.failure(of: request)?.reason.redirection == .tooMany(limit: 3))
        request.redirectPolicy = .follow(limit: 4)
        #expect(try await session.text(request) == "there")
    }

    @Test func `a redirect to the same URL is followed until there is an answer`() async throws {
        let origin = try ScriptedOrigin { connection, request in
            request.index < 3 ? [.redirect(to: "/a")] : [.ok("ready")]
        }
        #expect(try await Session.limited().text(URLRequest(origin, "/a")) == "ready")
        #expect(origin.requests.count == 4)
    }

    @Test func `who goes round in circles for good is stopped at the first that is asked again`() async throws {
        let origin = try ScriptedOrigin { _, request in
            [.redirect(301, to: request.target == "/a" ? "/b" : "/a")]
        }
        let error = await Session.limited().failure(of: try URLRequest(origin, "/a"))
        guard case .loop(let asked)? = error?.reason.redirection else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(asked.port == origin.port)
        #expect(origin.requests.map(\.target) == ["/a", "/b", "/a"])
    }

    @Test
    func
        `with the policy not to follow the redirect is the answer, and the request's policy counts before the session's`()
        async throws
    {
        let origin = try ScriptedOrigin.redirecting()
        let still = Session.limited { $0.redirectPolicy = .never }
        var request = try URLRequest(origin, "/302?/there")
        let (data, response) = try await still.data(for: request)
        #expect(response.statusCode == 302 && String(decoding: data, as: UTF8.self) == "moved")
        request.redirectPolicy = .follow()
        #expect(try await still.text(request) == "GET /there 0")
        request.redirectPolicy = .never
        let session = Session.limited()
        #expect(try await session.data(for: request).1.statusCode == 302)
        request.redirectPolicy = .follow(limit: 0)
        #expect(await session.failure(of: request)?.reason.redirection == .tooMany(limit: 0))
        #expect(origin.requests.map(\.target).count { $0 == "/there" } == 1)
    }

    @Test func `a redirect from https to http is refused, unless the caller allows it`() async throws {
        let authority = try CertificateAuthority()
        let secure = try ScriptedOrigin.redirecting(tls: authority.issue())
        let plain = try ScriptedOrigin.redirecting()
        let session = try Session.trusting(authority)
        var request = try URLRequest(secure, "/302?" + plain.url("/there"))
        let error = await session.failure(of: request)
        guard case .insecure(let target)? = error?.reason.redirection else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(target.port == plain.port)
        #expect(plain.connectionCount == 0)
        request.redirectPolicy = .follow(allowsDowngrade: true)
        #expect(try await session.text(request) == "GET /there 0")
        #expect(try await session.text(URLRequest(plain, "/302?" + secure.url("/there"))) == "GET /there 0")
    }

    @Test(
        arguments: [
            ("ftp://127.0.0.1/", "invalid"), ("mailto:user", "invalid"), ("javascript:alert(1)", "invalid"),
            ("http://", "invalid"), ("http:///", "invalid"), ("http://[::1", "invalid"), ("http://a b/", "invalid"),
            ("http://127.0.0.1:99999/", "invalid"), ("http://127.0.0.1:x/", "invalid"), ("/a\tb", "malformed"),
        ])
    func `a Location that cannot be requested ends the task, and no other`(
        location: String, kind: String
    ) async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/a" ? [.redirect(to: location)] : [.ok("fine")]
        }
        let session = Session.limited()
        let error = await session.failure(of: try URLRequest(origin, "/a"))
        switch error?.reason.redirection {
        case .invalidLocation: #expect(kind == "invalid")
        case .malformedLocation: #expect(kind == "malformed")
        default: Issue.record("\(String(describing: error))")
        }
        #expect(error?.origin?.port == origin.port)
        #expect(try await session.text(URLRequest(origin)) == "fine")
    }

    @Test func `several Locations are followed if they are one, and refused if not`() async throws {
        let origin = try ScriptedOrigin { _, request in
            switch request.target {
            case "/same": [.redirect(to: "/there", fields: [("location", "/there"), ("LOCATION", "")])]
            case "/other": [.redirect(to: "/there", fields: [("Location", "/elsewhere")])]
            case "/none": [.respond(status: 302, body: "nowhere")]
            case "/empty": [.redirect(to: "", body: "nowhere")]
            default: [.ok("there")]
            }
        }
        let session = Session.limited()
        #expect(try await session.text(URLRequest(origin, "/same")) == "there")
        #expect(await session.failure(of: try URLRequest(origin, "/other"))?.reason.redirection == .ambiguousLocation)
        for target in ["/none", "/empty"] {
            #expect(try await session.text(URLRequest(origin, target)) == "nowhere")
        }
    }

    @Test(arguments: [300, 304, 305, 306, 309, 200, 201])
    func `other statuses with a Location lead nowhere`(status: Int) async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 \(status) \r\nLocation: /there\r\nContent-Length: 0\r\n\r\n")]
        }
        #expect(try await Session.limited().data(for: URLRequest(origin)).1.statusCode == status)
        #expect(origin.requests.count == 1)
    }

    @Test func `a redirect that comes before the content was read is followed, and the content goes to its target`()
        async throws
    {
        let target = try ScriptedOrigin.redirecting()
        let location = target.url("/there")
        let origin = try ScriptedOrigin(
            .smallWindow,
            onHead: { _, _ in
                [.send("HTTP/1.1 307 \r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"), .awaitClose]
            }
        ) { _, _ in
            []
        }
        let body = Data(repeating: 7, count: 8 << 20)
        #expect(
            try await Session.limited().text(URLRequest(origin, "/a", method: "PUT", body: body))
                == "PUT /there \(8 << 20)")
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }
}
