// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine

/// Sessions with proxies that are scripts.
@Suite(.timeLimit(.minutes(1))) struct ProxySessionTests {
    private static let challenge = (name: "Proxy-Authenticate", value: "Digest realm=\"p\", nonce=\"n\", qop=\"auth\"")

    private func session(
        _ proxy: Proxy, _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) -> Session {
        Session.limited(to: 4) {
            $0.proxySettings = ProxySettings(proxy)
            change(&$0)
        }
    }

    private func proxy(_ origin: ScriptedOrigin, _ kind: Proxy.Kind = .http, _ user: String? = nil) -> Proxy {
        var proxy = Proxy(kind, host: "127.0.0.1", port: origin.port)
        proxy.credential = user.map { PasswordCredential(user: $0, password: "secret") }
        return proxy
    }

    private func failure(_ session: Session, _ url: String = "https://a.test/") async throws -> SessionError {
        let request = try URLRequest(string: url)
        return try #require(await #expect(throws: SessionError.self) { try await session.data(for: request) })
    }

    @Test func `a plain request goes to the proxy whole, and one connection serves all origins`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("hello")] }
        let session = session(proxy(origin))
        for url in ["http://user:pw@a.test/x?y#z", "http://b.test:8080/"] {
            let (data, response) = try await session.data(for: try URLRequest(string: url))
            #expect(String(decoding: data, as: UTF8.self) == "hello" && response.statusCode == 200)
        }
        #expect(origin.requests.map(\.target) == ["http://a.test/x?y", "http://b.test:8080/"])
        #expect(origin.requests.map { $0.value(of: "Host") } == ["a.test", "b.test:8080"])
        #expect(origin.connectionCount == 1)
    }

    @Test func `cookies and passwords of an origin keep their paths behind a proxy`() async throws {
        let basic = (name: "WWW-Authenticate", value: "Basic realm=\"a\"")
        let origin = try ScriptedOrigin { _, request in
            request.value(of: "Authorization") == nil
                ? [.respond(status: 401, fields: [basic, (name: "Set-Cookie", value: "c=1")])] : [.ok()]
        }
        let session = session(proxy(origin)) {
            $0.httpCookieStorage = HTTPCookieStorage()
            $0.urlCredentialStorage = CredentialStorage()
        }
        for path in ["dir/a", "dir/b", "other"] {
            var request = try URLRequest(string: "http://a.test/\(path)")
            request.url = URL(string: "http://u:p@a.test/\(path)")
            _ = try await session.data(for: request)
        }
        // The first is asked; the second lies within the space, and the third does not.
        #expect(origin.requests.map { $0.value(of: "Authorization") != nil } == [false, true, true, false, true])
        #expect(origin.requests.map { $0.value(of: "Cookie") != nil } == [false, true, true, false, true])
    }

    @Test func `a 407 is answered with Digest, once for all requests of the session`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.value(of: "Proxy-Authorization")?.hasPrefix("Digest ") == true
                ? [.ok("in")] : [.respond(status: 407, fields: [Self.challenge])]
        }
        let session = session(proxy(origin, .http, "user"))
        for path in ["1", "2"] {
            let (data, _) = try await session.data(for: try URLRequest(string: "http://a.test/\(path)"))
            #expect(String(decoding: data, as: UTF8.self) == "in")
        }
        #expect(origin.requests.count == 3)
        #expect(origin.requests.allSatisfy { $0.value(of: "Authorization") == nil })
    }

    @Test func `a proxy that asks without end gets three answers, and its 407 is the response`() async throws {
        let stale = (name: "Proxy-Authenticate", value: "Digest realm=\"p\", nonce=\"n\", stale=true")
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 407, fields: [stale])] }
        let plain = session(proxy(origin, .http, "user"))
        let (_, response) = try await plain.data(for: try URLRequest(string: "http://a.test/"))
        #expect(response.statusCode == 407 && origin.requests.count == 4)
        let error = try await failure(session(proxy(origin, .http, "user")))
        #expect(error.reason.kind == .proxy && origin.requests.count == 8)
    }

    @Test func `a 407 of an origin is its response, and gets nothing of the proxy's`() async throws {
        let direct = try ScriptedOrigin { _, _ in [.respond(status: 407, fields: [Self.challenge])] }
        let unused = try ScriptedOrigin { _, _ in [.ok()] }
        let session = session(proxy(unused, .http, "user")) {
            $0.proxySettings = ProxySettings { [other = self.proxy(unused, .http, "user")] in
                $0.host == "127.0.0.1" ? nil : other
            }
        }
        var request = try URLRequest(direct)
        request.headers["Proxy-Authorization"] = "Basic c2VjcmV0"
        let (_, response) = try await session.data(for: request)
        #expect(response.statusCode == 407 && direct.requests.count == 1 && unused.requests.isEmpty)
        #expect(direct.requests[0].value(of: "Proxy-Authorization") == nil)
    }

    @Test func `a tunnel carries TLS with the origin, and each side sees its own credentials`() async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue(LeafRequest(dnsNames: ["a.test"]))
        let origin = try ScriptedOrigin(
            tls: identity,
            onAccept: { _ in [.takeHead, .send("HTTP/1.1 200 OK\r\n\r\n")] },
            script: { _, _ in [.ok("inside")] })
        var proxy = proxy(origin)
        proxy.credential = PasswordCredential(user: "proxy", password: "secret", schemes: .basic)
        let anchor = try X509Certificate(pem: authority.certificatePEM)
        let session = session(proxy) { $0.tls.anchors = .only([anchor]) }
        var request = try URLRequest(string: "https://a.test/path")
        request.credential = PasswordCredential(user: "me", password: "mine", schemes: .basic)
        request.headers["Authorization"] = "Bearer token"
        let (data, _) = try await session.data(for: request)
        #expect(String(decoding: data, as: UTF8.self) == "inside")
        let seen = origin.requests[0]
        #expect(seen.target == "/path" && seen.value(of: "Proxy-Authorization") == nil)
        #expect(seen.value(of: "Authorization") == "Bearer token")
        let connect = String(decoding: origin.observations.takenBytes[0], as: UTF8.self)
        #expect(
            connect == """
                CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\
                Proxy-Authorization: Basic cHJveHk6c2VjcmV0\r\n\r\n
                """)
    }

    @Test(
        arguments: [
            ([.send("HTTP/1.1 403 No\r\nContent-Length: 3\r\n\r\nwhy")], .proxy, "403"),
            ([.send("HTTP/1.1 200 OK\r\n\r\nglued")], .proxy, "bytes behind"),
            ([.send("HTTP/1.1 200"), .close], .proxy, "closed"), ([.close], .proxy, "closed"),
            ([.send("garbage\r\n\r\n")], .proxy, "malformed"), ([.reset], .connectionLost, "lost"),
            ([.send("HTTP/1.1 502 Bad\r\n\r\n"), .hold], .proxy, "502"), ([.hold], .timedOut, "connect"),
        ] as [([ScriptedOrigin.Step], SessionError.Kind, String)])
    func `what a proxy does to CONNECT has an error of its own`(
        steps: [ScriptedOrigin.Step], kind: SessionError.Kind, text: String
    ) async throws {
        let origin = try ScriptedOrigin { _, _ in steps }
        let session = session(proxy(origin)) { $0.timeouts.connect = .milliseconds(300) }
        let error = try await failure(session)
        #expect(error.reason.kind == kind)
        #expect("\(error)".contains(text), "\(error)")
        #expect(!error.wasSent && error.isSafeToRepeat)
    }

    @Test func `SOCKS carries a plain request, with the name for the proxy to resolve`() async throws {
        let origin = try ScriptedOrigin(
            onAccept: { _ in
                [.take(3), .send([5, 0]), .take(5 + 6 + 2), .send([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])]
            },
            script: { _, _ in [.ok("through")] })
        let session = session(proxy(origin, .socks5h))
        let (data, _) = try await session.data(for: try URLRequest(string: "http://a.test/x"))
        #expect(String(decoding: data, as: UTF8.self) == "through" && origin.requests[0].target == "/x")
    }

    @Test func `a request chooses its proxy, or none, and redirects keep the choice`() async throws {
        let (first, second) = (try ScriptedOrigin { _, _ in [.ok("1")] }, try ScriptedOrigin { _, _ in [.ok("2")] })
        let origin = try ScriptedOrigin { _, request in
            request.target == "/away"
                ? [.respond(status: 302, fields: [(name: "Location", value: "http://other.test/")])] : [.ok("direct")]
        }
        let session = session(proxy(first))
        var request = try URLRequest(string: "http://a.test/")
        request.proxy = .through(proxy(second))
        #expect(String(decoding: try await session.data(for: request).0, as: UTF8.self) == "2")
        var direct = try URLRequest(origin)
        direct.proxy = .direct
        #expect(String(decoding: try await session.data(for: direct).0, as: UTF8.self) == "direct")
        let none = Session.limited(to: 2)
        #expect(String(decoding: try await none.data(for: request).0, as: UTF8.self) == "2")
        #expect(second.requests.count == 2 && first.requests.isEmpty)
    }

    @Test func `an egress policy judges each origin that is named by its address, and the proxy itself`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        var policy = EgressPolicy.publicInternet
        policy.allowedNetworks = [try IPNetwork("127.0.0.1")]
        let session = session(proxy(origin)) { $0.egressPolicy = policy }
        _ = try await session.data(for: try URLRequest(string: "http://a.test/"))
        for url in ["http://10.0.0.1/", "https://169.254.169.254/", "http://[::ffff:10.0.0.1]/"] {
            let error = try await failure(session, url)
            guard case .connecting(.egressRefused) = error.reason else { throw error }
        }
        #expect(origin.requests.count == 1)
        let strict = self.session(proxy(origin)) { $0.egressPolicy = .publicInternet }
        guard case .connecting(.egressRefused) = try await failure(strict, "http://a.test/").reason else {
            Issue.record("the proxy's address is not judged")
            return
        }
    }
}
