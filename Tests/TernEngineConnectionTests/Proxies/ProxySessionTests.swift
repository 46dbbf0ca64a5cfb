// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Sessions with proxies that are scripts.
@Suite(.timeLimit(.minutes(1))) struct ProxySessionTests: StreamDialogue {
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
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 407, fields: [stale], body: "no")] }
        let plain = session(proxy(origin, .http, "user"))
        let (_, response) = try await plain.data(for: try URLRequest(string: "http://a.test/"))
        #expect(response.statusCode == 407 && origin.requests.count == 4)
        let error = try await failure(session(proxy(origin, .http, "user")))
        #expect(error.reason.kind == .proxy && origin.requests.count == 8)
        guard case .connecting(.proxy(.refused(let refusal))) = error.reason else {
            return #expect(Bool(false), "\(error)")
        }
        #expect(refusal.status == 407 && refusal.body == Array("no".utf8))
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

    @Test(arguments: [false, true])
    func `a field that authenticates to a proxy reaches no origin, in a session with and without proxies`(
        isOfSession: Bool
    ) async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/away" ? [.redirect(to: "/here")] : [.ok()]
        }
        let server = try ScriptedProxy()
        let (name, value) = ("Proxy-Authorization", "Basic c2VjcmV0")
        let change: (inout SessionConfiguration) -> Void = { if isOfSession { $0.httpAdditionalHeaders[name] = value } }
        var request = try URLRequest(origin, "/away")
        if !isOfSession { request.headers[name] = value }
        _ = try await Session.limited(to: 1, change).data(for: request)
        var direct = request
        direct.proxy = .direct
        _ = try await session(proxy(origin), change).data(for: direct)
        var tunnel = Proxy(.http, host: "127.0.0.1", port: server.port)
        tunnel.tunnelsAll = true
        _ = try await session(tunnel, change).data(for: request)
        #expect(origin.requests.count == 6 && origin.requests.allSatisfy { $0.value(of: name) == nil })
        #expect(server.requests.allSatisfy { $0.request?.value(of: name) == nil })
        // A proxy that gets the request whole is who the field is for, also where only the request names it.
        var whole = request
        whole.proxy = .through(Proxy(.http, host: "127.0.0.1", port: server.port))
        let count = server.requests.count
        _ = try await Session.limited(to: 1, change).data(for: whole)
        #expect(server.requests.dropFirst(count).map { $0.request?.value(of: name) } == [value, value])
        #expect(origin.requests.count == 8 && origin.requests.allSatisfy { $0.value(of: name) == nil })
    }

    @Test(arguments: Proxy.Kind.allCases)
    func `sixteen requests at once get through a proxy, and each side sees its own credentials`(
        kind: Proxy.Kind
    ) async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue()
        let plain = try ScriptedOrigin { _, request in [.hold, .ok("plain \(request.target)")] }
        let secure = try ScriptedOrigin(tls: identity) { _, request in [.hold, .ok("secure \(request.target)")] }
        let proxy = try ScriptedProxy(
            tls: kind == .https ? identity : nil, credential: ("proxy", "secret")
        ) { target in target.hasSuffix(":443") ? secure.port : plain.port }
        var chosen = Proxy(kind, host: "localhost", port: proxy.port)
        chosen.credential = PasswordCredential(user: "proxy", password: "secret", schemes: .basic)
        let session = try Session.trusting(authority, connections: 16) { [chosen] in
            $0.proxySettings = ProxySettings(chosen)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                group.addTask {
                    let scheme = number.isMultiple(of: 2) ? "http" : "https"
                    var request = try URLRequest(string: "\(scheme)://localhost/\(number)")
                    request.credential = PasswordCredential(user: "me", password: "mine", schemes: .basic)
                    request.headers["Authorization"] = "Bearer token"
                    let text = try await session.text(request)
                    #expect(text == "\(scheme == "http" ? "plain" : "secure") /\(number)")
                }
            }
            for origin in [plain, secure] {
                #expect(await origin.waitFor { $0.headCount == 8 })
                try origin.release()
            }
            try await group.waitForAll()
        }
        for seen in plain.requests + secure.requests {
            #expect(seen.value(of: "Proxy-Authorization") == nil && seen.value(of: "Authorization") == "Bearer token")
        }
        #expect(proxy.requests.count == 16 && proxy.observations.connectionCount == 16)
        for seen in proxy.requests {
            #expect(seen.isGranted && seen.credential == (kind.rawValue.hasPrefix("socks4") ? "proxy" : "proxy:secret"))
            #expect(seen.kind != .connect || seen.request?.value(of: "Authorization") == nil)
        }
    }

    @Test(
        arguments: [
            (.http, .status(403, body: "why"), "status 403"), (.http, .refusesCredentials, "status 407"),
            (.http, .closes(after: 0), "the proxy closed the connection before it had answered"),
            (.http, .closes(after: 9), "the proxy closed the connection before it had answered"),
            (.http, .trailing([0x16]), "the proxy sent bytes behind its answer"), (.http, .holds(after: 5), "connect"),
            (.http, .garbage(Array("SSH-2.0-x\r\n".utf8)), "the response does not begin with"),
            (.socks5h, .code(5), "connection refused"), (.socks4a, .code(92), "no identd of the client"),
            (.socks5h, .refusesCredentials, "the SOCKS proxy refused the name and the password"),
            (.socks5h, .closes(after: 1), "the proxy closed the connection before it had answered"),
            (.socks5h, .closes(after: 7), "the proxy closed the connection before it had answered"),
            (.socks5h, .garbage(Array("HTTP/1.1 400".utf8)), "SOCKS version"),
            (.socks5h, .garbage([5, 0, 5, 0, 0, 9]), "SOCKS address type"),
            (.socks4a, .garbage([5]), "SOCKS version"), (.socks4a, .holds(after: 7), "connect"),
            (.socks5h, .trailing([0x16]), "the proxy sent bytes behind its answer"),
            (.socks5h, .holds(after: 3), "connect"),
        ] as [(Proxy.Kind, ProxyFault, String)])
    func `a fault of a proxy is an error with its rule, sixteen times at once`(
        kind: Proxy.Kind, fault: ProxyFault, rule: String
    ) async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let server = try ScriptedProxy(credential: ("proxy", "secret")) { _ in
            origin.port
        } faults: { _ in
            fault
        }
        var proxy = Proxy(kind, host: "127.0.0.1", port: server.port)
        proxy.credential = PasswordCredential(user: "proxy", password: "secret", schemes: .basic)
        let session = session(proxy) { if rule == "connect" { $0.timeouts.connect = .milliseconds(300) } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                group.addTask {
                    var request = try URLRequest(string: "https://a\(number).test/")
                    request.headers["Authorization"] = "Bearer token"
                    let error = try #require(await session.failure(of: request))
                    #expect(error.reason.kind == (rule == "connect" ? .timedOut : .proxy) && error.phase == .connect)
                    #expect(error.reason.rule.contains(rule), "\(error.reason.rule)")
                    #expect(!error.wasSent && error.isSafeToRepeat)
                    guard case .connecting(.proxy(.refused(let refusal))) = error.reason, refusal.status == 403 else {
                        return
                    }
                    #expect(refusal.body == Array("why".utf8))
                }
            }
            try await group.waitForAll()
        }
        #expect(origin.requests.isEmpty)
        #expect(server.requests.allSatisfy { $0.request?.value(of: "Authorization") == nil })
        if case .garbage = fault { #expect(kind != .socks5h || server.requests.allSatisfy { $0.credential == nil }) }
    }

    @Test func `a tunnel that is cut is a lost connection, and the next request opens another`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.ok(String(repeating: "x", count: 100_000))]
        }
        for (limit, phase) in [(0, SessionError.Phase.tls), (50_000, .body)] {
            let server = try ScriptedProxy(faults: { $0 == 1 ? .cuts(after: limit) : nil })
            let session = try Session.trusting(authority) {
                $0.proxySettings = ProxySettings(Proxy(.socks5h, host: "127.0.0.1", port: server.port))
            }
            let request = try URLRequest(origin)
            let error = try #require(await session.failure(of: request))
            #expect(error.phase == phase && error.reason.kind == .connectionLost, "\(error)")
            #expect(server.requests[0].bytesToClient == limit)
            #expect(try await session.text(request).count == 100_000)
        }
    }

    @Test func `a proxy that answers slowly is waited for`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("late")] }
        for (kind, count) in [(Proxy.Kind.http, 3), (.socks5h, 1), (.socks5h, 6), (.socks4a, 4)] {
            let server = try ScriptedProxy { _ in
                origin.port
            } faults: { _ in
                .holds(after: count)
            }
            var proxy = Proxy(kind, host: "127.0.0.1", port: server.port)
            proxy.tunnelsAll = true
            async let text = session(proxy).text(try URLRequest(string: "http://a.test/"))
            #expect(await server.waitFor { $0.bytesSent == count && $0.requests.count == 1 })
            try server.release()
            #expect(try await text == "late")
        }
    }

    @Test(
        arguments: [
            ([.reset], .connectionLost, "lost"), ([.send("HTTP/1.1 502 Bad\r\n\r\n"), .hold], .proxy, "502"),
        ] as [([ScriptedOrigin.Step], SessionError.Kind, String)])
    func `a reset, and a refusal without end, have errors of their own`(
        steps: [ScriptedOrigin.Step], kind: SessionError.Kind, text: String
    ) async throws {
        let origin = try ScriptedOrigin { _, _ in steps }
        let session = session(proxy(origin)) { $0.timeouts.connect = .milliseconds(300) }
        let error = try await failure(session)
        #expect(error.reason.kind == kind)
        #expect("\(error)".contains(text), "\(error)")
        #expect(!error.wasSent && error.isSafeToRepeat)
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

    /// Answers for hosts by name, in order; no other host exists.
    private static func resolver(_ hosts: [String: [String]]) -> ClosureResolver {
        ClosureResolver { host, _ in (hosts[host] ?? []).compactMap { IPAddress(literal: $0) } }
    }

    /// The public internet, and the proxies of these tests.
    private static func policy() throws -> EgressPolicy {
        var policy = EgressPolicy.publicInternet
        policy.allowedNetworks = [try IPNetwork("127.0.0.0/8")]
        return policy
    }

    @Test(
        arguments: [
            (.socks4, ["2606:4700::1111", "10.0.0.1"], "egressRefused 10.0.0.1:80"),
            (.socks4, ["10.0.0.1", "2606:4700::1111"], "egressRefused 10.0.0.1:80"),
            (.socks4, ["2606:4700::1111"], "unresolved"), (.socks4, [], "unresolved"),
            (.socks4, ["2606:4700::1111", "10.0.0.1", "127.0.0.1"], "127.0.0.1:80"),
            (.socks5, ["10.0.0.1", "fd00::1"], "egressRefused 10.0.0.1:80"),
            (.socks5, ["10.0.0.1", "2606:4700::1111"], "[2606:4700:0:0:0:0:0:1111]:80"), (.socks5, [], "unresolved"),
            (.socks4a, ["10.0.0.1"], "a.test:80"), (.socks5h, ["10.0.0.1"], "a.test:80"),
        ] as [(Proxy.Kind, [String], String)])
    func `a proxy that gets addresses gets the judged ones, and never the name in their place`(
        kind: Proxy.Kind, addresses: [String], outcome: String
    ) async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let server = try ScriptedProxy { _ in origin.port }
        let policy = try Self.policy()
        let session = session(Proxy(kind, host: "127.0.0.1", port: server.port)) {
            $0.resolver = Self.resolver(["a.test": addresses])
            $0.egressPolicy = policy
        }
        let error = await session.failure(of: try URLRequest(string: "http://a.test/"))
        switch error?.reason {
        case nil: #expect(server.requests.map(\.target) == [outcome])
        case .connecting(.egressRefused(let violation)):
            #expect("egressRefused \(violation.address.map { "\($0)" } ?? "")" == outcome)
            #expect(violation.host == "a.test")
        case .connecting(.unresolved(let error)): #expect(outcome == "unresolved" && error.host == "a.test")
        default: Issue.record("\(error.map { "\($0)" } ?? "")")
        }
        #expect(error == nil || server.observations.connectionCount == 0)
    }

    @Test(arguments: [Proxy.Kind.socks5, .socks4])
    func `a proxy that gets addresses gets the permitted ones in turn`(kind: Proxy.Kind) async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let server = try ScriptedProxy { target in target == "192.0.2.3:80" ? origin.port : nil }
        var policy = try Self.policy()
        policy.allowedNetworks.append(try IPNetwork("192.0.2.0/24"))
        let session = session(Proxy(kind, host: "127.0.0.1", port: server.port)) { [policy] in
            $0.resolver = Self.resolver([
                "a.test": ["192.0.2.1", "10.0.0.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"],
                "b.test": ["192.0.2.1", "192.0.2.2"],
            ])
            $0.egressPolicy = policy
        }
        _ = try await session.data(for: try URLRequest(string: "http://a.test/"))
        let error = try await failure(session, "http://b.test/")
        guard case .connecting(.proxy(.refusedBySOCKS)) = error.reason else { throw error }
        #expect(server.requests.map(\.target) == [1, 2, 3, 1, 2].map { "192.0.2.\($0):80" })
    }

    @Test(
        arguments: [
            (.http, "http://a.test/", "other.test:81"), (.http, "https://a.test/", "other.test:444"),
            (.socks5h, "http://a.test/", "other.test:81"), (.socks5, "http://a.test/", "192.0.2.7:81"),
            (.http, "http://b.test/", "192.0.2.8:80"), (.socks5h, "http://b.test/", "192.0.2.8:80"),
            (.http, "http://c.test/", nil), (.http, "http://d.test/", "10.0.0.1:80"),
        ] as [(Proxy.Kind, String, String?)])
    func `what is said about a host and its addresses holds behind a proxy, in a tunnel`(
        kind: Proxy.Kind, url: String, target: String?
    ) async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue(LeafRequest(dnsNames: ["a.test"]))
        let plain = try ScriptedOrigin { _, _ in [.ok()] }
        let secure = try ScriptedOrigin(tls: identity) { _, _ in [.ok()] }
        let server = try ScriptedProxy { $0.hasSuffix(":444") ? secure.port : plain.port }
        var policy = try Self.policy()
        policy.allowedNetworks.append(try IPNetwork("192.0.2.0/24"))
        for isOfRequest in [false, true] {
            let endpoints = try ["a.test:80:other.test:81", "a.test:443:other.test:444"].map(EndpointOverride.init)
            let addresses = try ["b.test:80:192.0.2.8", "other.test:81:192.0.2.7", "d.test:80:10.0.0.1"]
                .map(AddressOverride.init).filter { kind == .socks5 || $0.host != "other.test" }
            let session = try Session.trusting(authority) { [policy] in
                $0.proxySettings = ProxySettings(Proxy(kind, host: "127.0.0.1", port: server.port))
                $0.egressPolicy = policy
                if !isOfRequest { ($0.endpointOverrides, $0.addressOverrides) = (endpoints, addresses) }
            }
            var request = try URLRequest(string: url)
            if isOfRequest { (request.endpointOverrides, request.addressOverrides) = (endpoints, addresses) }
            let count = server.requests.count
            let error = await session.failure(of: request)
            let seen = server.requests.dropFirst(count)
            if target?.hasPrefix("10.") == true {
                guard case .connecting(.egressRefused) = error?.reason else { throw try #require(error) }
                #expect(seen.isEmpty)
            } else {
                #expect(error == nil && seen.map(\.target) == [target ?? "c.test:80"], "\(seen.map(\.target))")
                #expect(seen.allSatisfy { ($0.request?.method == "CONNECT") == (kind == .http && target != nil) })
            }
        }
        let hosts = Set((plain.requests + secure.requests).map { $0.value(of: "Host") })
        #expect(hosts.isSubset(of: [String(url.dropLast().suffix(6))]))
    }

    @Test(arguments: [false, true])
    func `content that can be read once waits for a proxy's Digest challenge, and for none of a proxy without one`(
        asks: Bool
    ) async throws {
        let origin = try ScriptedOrigin { _, request in
            let isKnown = request.value(of: "Proxy-Authorization")?.hasPrefix("Digest ") == true
            return !asks || isKnown
                ? [.ok("got \(String(decoding: request.body, as: UTF8.self))")]
                : [.respond(status: 407, fields: [Self.challenge])]
        }
        let request = { () -> URLRequest in
            var request = try URLRequest(string: "http://a.test/")
            request.httpMethod = "PUT"
            request.body = .sequence(
                AsyncStream<Data> {
                    $0.yield(Data("once".utf8))
                    $0.finish()
                })
            return request
        }
        var digest = proxy(origin)
        digest.credential = PasswordCredential(user: "user", password: "secret", schemes: .digest)
        #expect(try await session(digest).text(try request()) == "got once")
        #expect(origin.requests.map(\.body.count) == [0, 4])
        #expect(origin.requests[0].value(of: "Content-Length") == "0")
        // What may be sent in two ways is not held back: the 407 is the answer.
        let (_, response) = try await session(proxy(origin, .http, "user")).data(for: try request())
        #expect(response.statusCode == (asks ? 407 : 200) && origin.requests.count == 3)
    }

    @Test func `a credential that cannot be sent is an error that does not show it`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        var proxy = proxy(origin)
        proxy.credential = PasswordCredential(user: "us:er", password: "secret", schemes: .basic)
        for url in ["http://a.test/", "https://a.test/"] {
            let error = try await failure(session(proxy), url)
            guard case .connecting(.proxy(.unsendable)) = error.reason else { throw error }
            #expect("\(error)".contains("a name with a colon") && "\(error)".contains("from the session"))
            #expect(!"\(error)".contains("secret") && !"\(error)".contains("us:er"))
        }
        #expect(origin.requests.isEmpty)
    }

    @Test func `an error behind a proxy names it and what named it, without its password`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 403)] }
        let resolver = Self.resolver(["a.test": ["192.0.2.1"]])
        let expect = { (error: SessionError, text: String, host: String) in
            let shown = "\(error)"
            #expect(shown.contains(text) && shown.contains(host) && !shown.contains("secret"), "\(shown)")
        }
        let place = "the proxy 127.0.0.1:\(origin.port), from the session"
        let ofSession = session(proxy(origin, .http, "user")) { $0.resolver = resolver }
        expect(try await failure(ofSession), place, "https://a.test")
        var request = try URLRequest(string: "https://a.test/")
        request.proxy = .through(Proxy(.socks5h, host: "nowhere.test", port: 1))
        let error = try #require(await ofSession.failure(of: request))
        expect(error, "nowhere.test", "https://a.test through the SOCKS proxy nowhere.test:1, from the request")
        #expect(error.proxy?.includes(host: "nowhere.test") == true && error.proxy?.source == .request)
        let environment = session(proxy(origin)) {
            $0.resolver = resolver
            $0.proxySettings = .environment(["https_proxy": "https://u:secret@127.0.0.1:1"])
        }
        expect(try await failure(environment), "the HTTPS proxy 127.0.0.1:1, from https_proxy", "a.test")
        var chain = proxy(origin)
        chain.preproxy = Proxy(.socks5h, host: "127.0.0.1", port: 1)
        expect(
            try await failure(session(chain)), "\(place), behind the SOCKS proxy 127.0.0.1:1",
            "cannot connect to 127.0.0.1:1")
        let stream = ofSession.streamTask(withHostName: "b.test", port: 80)
        stream.resume()
        let failed = await #expect(throws: SessionError.self) {
            _ = try await stream.readData(ofMinLength: 1, maxLength: 1, timeout: nil)
        }
        expect(try #require(failed), place, "http://b.test")
    }

    @Test func `a stream that must not be opened through a proxy fails`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let policy = try Self.policy()
        let session = session(proxy(origin)) { $0.egressPolicy = policy }
        let stream = session.streamTask(withHostName: "10.0.0.1", port: 80)
        stream.resume()
        let error = await #expect(throws: SessionError.self) {
            _ = try await stream.readData(ofMinLength: 1, maxLength: 1, timeout: nil)
        }
        guard case .connecting(.egressRefused) = error?.reason else { throw try #require(error) }
    }

    @Test func `an address of IPv6 is nothing for SOCKS 4`() async throws {
        let server = try ScriptedProxy { _ in nil }
        let session = session(Proxy(.socks4, host: "127.0.0.1", port: server.port)) {
            $0.resolver = Self.resolver(["a.test": ["2606:4700::1111", "192.0.2.1"]])
        }
        let error = try #require(await session.failure(of: try URLRequest(string: "http://[2606:4700::1111]/")))
        #expect("\(error)".contains("an IPv6 address in version 4"), "\(error)")
        #expect(server.requests.isEmpty)
    }

    @Test(
        arguments: [
            (.socks5, "p.test", "192.0.2.1:8080"), (.socks4, "p.test", "192.0.2.1:8080"),
            (.socks5h, "p.test", "p.test:8080"), (.socks5h, "192.0.2.9", "192.0.2.9:8080"),
            (.socks5, "inner.test", nil), (.socks4, "inner.test", nil), (.socks4, "new.test", nil),
            (.socks5h, "10.0.0.1", nil), (.socks4a, "10.0.0.1", nil), (.socks5, "10.0.0.1", nil),
            (.http, "10.0.0.1", nil), (.http, "0x0a.1", nil),
        ] as [(Proxy.Kind, String, String?)])
    func `the next proxy of a chain is resolved and judged as an origin is`(
        kind: Proxy.Kind, next: String, target: String?
    ) async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let server = try ScriptedProxy { _ in origin.port }
        var policy = try Self.policy()
        policy.allowedNetworks.append(try IPNetwork("192.0.2.0/24"))
        var proxy = Proxy(.http, host: next, port: 8080)
        proxy.preproxy = Proxy(kind, host: "127.0.0.1", port: server.port)
        let session = session(proxy) { [policy] in
            $0.resolver = Self.resolver([
                "p.test": ["192.0.2.1"], "inner.test": ["10.0.0.1"], "new.test": ["2606:4700::1111"],
            ])
            $0.egressPolicy = policy
        }
        let error = await session.failure(of: try URLRequest(string: "http://a.test/"))
        #expect(server.requests.map(\.target) == (target.map { [$0] } ?? []))
        guard target == nil else { return #expect(error == nil, "\(error.map { "\($0)" } ?? "")") }
        switch error?.reason {
        case .connecting(.egressRefused(let violation)): #expect(violation.host == proxy.server.host)
        case .connecting(.unresolved(let error)): #expect(next == "new.test" && error.host == next)
        default: Issue.record("\(error.map { "\($0)" } ?? "nothing")")
        }
    }

    @Test(arguments: [
        "169.254.169.254.", "169.254.169.254..", "0xa9fea9fe.", "0251.0376.43518.", "localhost", "LOCALHOST.",
        "a.localhost..",
    ])
    func `no spelling of a refused address is given to a proxy or a dialer`(host: String) async throws {
        let server = try ScriptedProxy { _ in nil }
        let policy = try Self.policy()
        var denying = policy
        denying.deniedNetworks = [try IPNetwork("127.0.0.1"), try IPNetwork("::1")]
        denying.allowedNetworks = [try IPNetwork("127.0.0.2")]
        for (kind, tunnelsAll) in [(Proxy.Kind.http, false), (.http, true), (.socks4a, false), (.socks5h, false)] {
            var proxy = Proxy(kind, host: "127.0.0.2", port: server.port)
            proxy.tunnelsAll = tunnelsAll
            for scheme in ["http", "https"] {
                let session = session(proxy) { [denying] in $0.egressPolicy = denying }
                let error = try #require(await session.failure(of: try URLRequest(string: "\(scheme)://\(host)/")))
                guard case .connecting(.egressRefused) = error.reason else { throw error }
            }
        }
        let dialler = Session.limited { [denying] in
            $0.egressPolicy = denying
            $0.dialer = ConnectionDialer { _ in throw CancellationError() }
        }
        let error = try #require(await dialler.failure(of: try URLRequest(string: "http://\(host)/")))
        guard case .connecting(.egressRefused) = error.reason else { throw error }
        // Loopback is permitted by the first policy, so this machine's names are, too.
        let session = session(Proxy(.socks5h, host: "127.0.0.1", port: server.port)) { $0.egressPolicy = policy }
        _ = await session.failure(of: try URLRequest(string: "http://\(host)/"))
        let isName = host.lowercased().contains("localhost")
        #expect(server.requests.map(\.target) == (isName ? ["\(host.lowercased()):80"] : []))
    }

    @Test func `a raw stream through a proxy that gets addresses leads to the judged one, or nowhere`() async throws {
        let server = try ScriptedProxy { _ in nil }
        let policy = try Self.policy()
        let session = session(Proxy(.socks4, host: "127.0.0.1", port: server.port)) {
            $0.resolver = Self.resolver(["a.test": ["2606:4700::1111", "10.0.0.1"]])
            $0.egressPolicy = policy
        }
        let stream = session.streamTask(withHostName: "a.test", port: 80)
        stream.resume()
        guard case .connecting(.egressRefused) = await Self.failure({ try await Self.read(stream) })?.reason else {
            Issue.record("the stream is not refused")
            return
        }
        #expect(server.observations.connectionCount == 0)
    }
}
