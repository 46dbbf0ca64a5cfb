// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(1))) struct StrictTransportTests {
    private let storage = HSTSStorage()
    private let authority: CertificateAuthority

    init() throws { authority = try CertificateAuthority() }

    private func secure(_ field: String? = nil, fields: [(String, String)] = []) throws -> ScriptedOrigin {
        try ScriptedOrigin(tls: try authority.issue()) { _, _ in
            [.respond(fields: (field.map { [("Strict-Transport-Security", $0)] } ?? []) + fields, body: "secure")]
        }
    }

    private func session(_ change: (inout SessionConfiguration) -> Void = { _ in }) throws -> Session {
        try Session.trusting(authority) {
            $0.hstsStorage = storage
            change(&$0)
        }
    }

    private func plain(_ origin: ScriptedOrigin, _ path: String = "/", host: String = "localhost") throws -> URLRequest
    {
        try URLRequest(string: "http://\(host):\(origin.port)\(path)")
    }

    @Test func `a host that said so is requested over TLS before a connection is opened`() async throws {
        let origin = try secure("max-age=100")
        let session = try session()
        _ = try await session.data(for: try URLRequest(origin))
        #expect(storage.hosts.map(\.name) == ["localhost"])
        let (data, response) = try await session.data(for: try plain(origin, "/a?b"))
        #expect(String(decoding: data, as: UTF8.self) == "secure")
        #expect(response.url?.absoluteString == "https://localhost:\(origin.port)/a?b")
        #expect(origin.requests.map(\.target) == ["/", "/a?b"])
        #expect(origin.connectionCount == 1, "the connection of the https URL is used again")
    }

    @Test func `the current request and the metrics have the URL that was requested`() async throws {
        let origin = try secure()
        storage.set(.init(name: "localhost"))
        let delegate = RecordingDelegate()
        let session = try session()
        let task = session.dataTask(with: try plain(origin, "/#f"), delegate: delegate)
        task.resume()
        _ = await delegate.end()
        let url = "https://localhost:\(origin.port)/#f"
        #expect(task.metrics?.hops.map { $0.request.url?.absoluteString } == [url])
        #expect(task.currentRequest?.url?.absoluteString == url)
        #expect(task.originalRequest.url?.scheme == "http")
    }

    @Test(arguments: [
        ("http://a.test/p?q#f", "https://a.test/p?q#f", 443), ("http://a.test:80/", "https://a.test/", 443),
        ("http://u:p@a.test:/", "https://u:p@a.test/", 443), ("http://a.test:080/", "https://a.test/", 443),
        ("HTTP://a.test:8080/", "https://a.test:8080/", 8080), ("http://a.test:443", "https://a.test:443", 443),
    ])
    func `port 80 becomes 443, and another stays`(text: String, expected: String, port: UInt16) throws {
        var request = try URLRequest(string: text)
        try request.setTarget("/other")
        let secured = try #require(request.secured)
        #expect(secured.url?.absoluteString == expected)
        let destination = try secured.destination.get()
        #expect(destination.origin == HTTPOrigin(scheme: .https, host: "a.test", port: port))
        #expect(destination.target == .origin("/other"))
        #expect(secured.secured == nil)
    }

    @Test func `a redirect to the http URL of such a host leads to https, with the credentials of that origin`()
        async throws
    {
        let origin = try ScriptedOrigin(tls: try authority.issue()) { _, request in
            request.target == "/end"
                ? [.ok("end")]
                : [
                    .respond(
                        status: 302,
                        fields: [
                            (
                                "Location",
                                "http://localhost:\(request.value(of: "Host")?.split(separator: ":").last ?? "")/end"
                            )
                        ])
                ]
        }
        storage.set(.init(name: "localhost"))
        for request in [try URLRequest(origin), try plain(origin)] {
            var request = request
            request.headers["Authorization"] = "Own x"
            #expect(try await session().text(request) == "end")
        }
        #expect(origin.requests.map { $0.value(of: "Authorization") } == Array(repeating: "Own x", count: 4))
    }

    @Test func `cookies are those of the https URL`() async throws {
        let origin = try secure()
        storage.set(.init(name: "localhost"))
        let cookies = HTTPCookieStorage()
        cookies.setCookie(try #require(HTTPCookie(name: "a", value: "1", domain: "localhost", isSecure: true)))
        _ = try await session { $0.httpCookieStorage = cookies }.data(for: try plain(origin))
        #expect(origin.requests.first?.value(of: "Cookie") == "a=1")
    }

    @Test func `only the first field counts, and every response teaches`() async throws {
        let origin = try secure("max-age=100", fields: [("Strict-Transport-Security", "max-age=0")])
        let failing = try ScriptedOrigin(tls: try authority.issue()) { _, _ in
            [.respond(status: 503, fields: [("Strict-Transport-Security", "max-age=100; includeSubDomains")])]
        }
        let session = try session()
        _ = try await session.data(for: try URLRequest(origin))
        #expect(storage.hosts.map(\.includesSubdomains) == [false])
        _ = try await session.data(for: try URLRequest(failing))
        #expect(storage.hosts.map(\.includesSubdomains) == [true])
    }

    @Test func `nothing is learned without TLS, from addresses, or from servers whose chain was not validated`()
        async throws
    {
        let open = try ScriptedOrigin { _, _ in [.respond(fields: [("Strict-Transport-Security", "max-age=100")])] }
        let secure = try secure("max-age=100")
        let session = try session()
        _ = try await session.data(for: try plain(open))
        _ = try await session.data(for: try URLRequest(string: "https://127.0.0.1:\(secure.port)/"))
        let careless = Session.limited(policies: ["localhost": .disableEvaluation]) { $0.hstsStorage = storage }
        _ = try await careless.data(for: try URLRequest(secure))
        #expect(secure.requests.count == 2 && open.requests.count == 1)
        #expect(storage.hosts.isEmpty)
    }

    @Test func `a session without a storage stays with http`() async throws {
        storage.set(.init(name: "localhost"))
        let open = try ScriptedOrigin { _, _ in [.ok("open")] }
        #expect(try await Session.limited().text(try plain(open)) == "open")
        let failure = try await session().failure(of: try URLRequest(string: "http://localhost:1/"))
        #expect(failure != nil && failure?.origin?.scheme == .https)
    }

    @Test(arguments: [false, true])
    func `what goes to a socket stays as it is, and teaches nothing`(isOfSession: Bool) async throws {
        let socket = try UnixSocket()
        let origin = try ScriptedOrigin(socket.configuration) { _, _ in [.ok("plain")] }
        storage.set(.init(name: "localhost"))
        let session = try session { if isOfSession { $0.unixSocket = socket.name } }
        var request = try URLRequest(string: "http://localhost/version")
        if !isOfSession { request.unixSocket = socket.name }
        #expect(try await session.text(request) == "plain" && origin.requests.count == 1)
    }
}
