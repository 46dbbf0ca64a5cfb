// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Secrets reach the first origin and no other, and are not sent to it again through another.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RedirectCredentialsTests {
    /// Where requests go: `origin` is one of the names below.
    struct Way: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let stops: [String]

        init(_ stops: String) {
            testDescription = stops
            self.stops = stops.split(separator: " ").map(String.init)
        }
    }

    private static let ways = [
        "a", "a a", "a a a", "a b", "a b b", "a b a", "a a b a a", "a name", "a name a", "a six", "six a", "a secure",
        "secure secure", "secure a", "secure a secure", "name name", "a b name six secure b a",
    ].map(Way.init)

    private static let secrets = [
        "Authorization", "Cookie", "X-Mine", "X-Ours", "X-Held", "X-Held-Mine", "Referer",
        "Origin",
    ]

    @Test(arguments: ways, [302, 307])
    func `secrets stay where they were meant to go`(way: Way, status: Int) async throws {
        let authority = try CertificateAuthority()
        var six = ScriptedOrigin.Configuration()
        six.address = .ipv6
        let (first, second, third) = try (
            ScriptedOrigin.redirecting(), ScriptedOrigin.redirecting(), ScriptedOrigin.redirecting(six)
        )
        let secure = try ScriptedOrigin.redirecting(tls: authority.issue())
        let origins = ["a": first, "name": first, "b": second, "six": third, "secure": secure]
        let session = try Session.trusting(authority) {
            $0.sensitiveFields = ["X-Ours", "X-Held"]
            $0.httpAdditionalHeaders.append("X-Held", "the session's")
            $0.httpAdditionalHeaders.append("X-Held-Mine", "the session's, and a secret of this request")
            $0.httpAdditionalHeaders.append("X-Everywhere", "the session's")
            $0.redirectPolicy = .follow(allowsDowngrade: true)
        }
        var location = ""
        for stop in way.stops.reversed() {
            let origin = try #require(origins[stop])
            let target = location.isEmpty ? "/there" : "/\(status)?\(location)"
            location = origin.url(target, host: stop == "name" ? "localhost" : nil)
        }
        var request = URLRequest(url: try #require(URL(string: location)))
        for name in Self.secrets where !name.hasPrefix("X-Held") {
            request.setValue("secret", forHTTPHeaderField: name)
        }
        request.setValue("open", forHTTPHeaderField: "X-Open")
        request.sensitiveFields = ["X-Mine", "X-Held-Mine"]
        #expect(try await session.text(request) == "GET /there 0")

        var seen = origins.mapValues(\.requests)
        seen["name"] = nil
        var hasLeft = false
        for stop in way.stops {
            hasLeft = hasLeft || stop != way.stops[0]
            let key = stop == "name" ? "a" : stop
            let request = try #require(seen[key]?.first)
            seen[key]?.removeFirst()
            let came = Self.secrets.filter { request.value(of: $0) != nil }
            // That for a proxy reaches no origin.
            #expect(came == (hasLeft ? [] : Self.secrets.filter { $0 != "Proxy-Authorization" }), "at \(stop)")
            #expect(request.value(of: "X-Open") == "open")
            #expect(request.value(of: "X-Everywhere") == "the session's")
            #expect(request.values(of: "Host").count == 1)
        }
        #expect(seen.values.joined().isEmpty)
    }

    @Test(
        arguments: [
            "//localhost:PORT/there", "http://user:word@localhost:PORT/there", "http://@localhost:PORT/there",
            "HTTP://LOCALHOST:PORT/there", "http://127.0.0.1@localhost:PORT/there",
        ])
    func `no form of another origin is taken for the first one`(location: String) async throws {
        let origin = try ScriptedOrigin { _, request in
            if request.target != "/a" { return [.ok(request.value(of: "Host") ?? "")] }
            let port = request.value(of: "Host")?.split(separator: ":").last ?? ""
            return [.redirect(to: location.replacing("PORT", with: port))]
        }
        var request = try URLRequest(origin, "/a")
        request.setValue("Basic secret", forHTTPHeaderField: "Authorization")
        _ = try await Session.limited().data(for: request)
        let last = try #require(origin.requests.last)
        #expect(last.value(of: "Host")?.hasPrefix("localhost") == true)
        #expect(last.value(of: "Authorization") == nil)
    }

    @Test func `a Host set by hand is for the first origin alone`() async throws {
        let (second, first) = (try ScriptedOrigin.redirecting(), try ScriptedOrigin.redirecting())
        var request = try URLRequest(first, "/302?" + second.url("/there"))
        request.setValue("virtual.test", forHTTPHeaderField: "Host")
        _ = try await Session.limited().data(for: request)
        #expect(first.requests.first?.values(of: "Host") == ["virtual.test"])
        #expect(second.requests.first?.values(of: "Host") == ["127.0.0.1:\(second.port)"])
    }

    /// The session of a program that remembers: cookies, passwords and responses. Each origin challenges for the same realm
    /// and sets a cookie of the same name; the session has a password for the first origin, and the redirects are stored.
    @Test(arguments: ways)
    func `what a session remembers goes to no other origin, and no stored response is for other credentials`(
        way: Way
    ) async throws {
        let authority = try CertificateAuthority()
        let password = "Basic " + Data("ada:p".utf8).base64EncodedString()
        let home = way.stops[0]
        @Sendable func make(
            _ name: String, _ configuration: ScriptedOrigin.Configuration = .init(), tls: Identity? = nil
        ) throws -> ScriptedOrigin {
            try ScriptedOrigin(configuration, tls: tls) { _, request in
                let isNamed = tls == nil && request.value(of: "Host")?.hasPrefix("localhost") == true
                let fields = [("Cache-Control", "max-age=60"), ("Set-Cookie", "of=\(isNamed ? "name" : name)")]
                let isHome = (isNamed ? "name" : name) == home
                if isHome, request.value(of: "Authorization") != password {
                    return [.respond(status: 401, fields: fields + [("WWW-Authenticate", "Basic realm=\"r\"")])]
                }
                if let mark = request.target.firstIndex(of: "?") {
                    let query = String(request.target[mark...].dropFirst())
                    let location = query.replacing("%5B", with: "[").replacing("%5D", with: "]")
                    return [.respond(status: 302, fields: fields + [("Location", location)])]
                }
                if isHome { return [.respond(fields: fields, body: "for ada")] }
                return [.respond(status: 401, fields: fields + [("WWW-Authenticate", "Basic realm=\"r\"")])]
            }
        }
        var six = ScriptedOrigin.Configuration()
        six.address = .ipv6
        let (first, second, third) = try (make("a"), make("b"), make("six", six))
        let secure = try make("secure", tls: authority.issue())
        let origins = ["a": first, "name": first, "b": second, "six": third, "secure": secure]
        func url(_ stop: String, _ target: String) throws -> String {
            try #require(origins[stop]).url(target, host: stop == "name" ? "localhost" : nil)
        }
        let cache = URLCache()
        func session(_ change: (inout SessionConfiguration) -> Void) throws -> Session {
            try Session.trusting(authority) {
                $0.urlCache = cache
                $0.redirectPolicy = .follow(allowsDowngrade: true)
                change(&$0)
            }
        }
        let storage = CredentialStorage()
        let remembering = try session {
            ($0.httpCookieStorage, $0.urlCredentialStorage) = (HTTPCookieStorage(), storage)
        }
        let login = try URLRequest(string: try url(home, "/login"))
        let challenge = HTTPChallenge.challenges(in: [Array("Basic realm=\"r\"".utf8)])[0]
        storage.set(
            Credential(user: "ada", password: "p", persistence: .forSession),
            for: ProtectionSpace(try login.origin(), challenge))
        #expect(try await remembering.text(login) == "for ada")

        var location = ""
        for stop in way.stops.reversed() { location = try url(stop, location.isEmpty ? "/there" : "/?" + location) }
        let request = URLRequest(url: try #require(URL(string: location)))
        let isAtHome = way.stops.last == home
        var counts: [Int] = []
        for _ in 0..<2 {
            let (body, response) = try await remembering.data(for: request)
            #expect(response.statusCode == (isAtHome ? 200 : 401))
            #expect(String(decoding: body, as: UTF8.self) == (isAtHome ? "for ada" : ""))
            counts.append([first, second, third, secure].reduce(0) { $0 + $1.requests.count })
        }
        // The redirects, and what was found at home, came from the cache; challenges are not stored.
        #expect(counts[1] - counts[0] == (isAtHome ? 0 : 1))
        // Another session shares the responses, and has no password.
        #expect(try await session { _ in }.data(for: request).1.statusCode == 401)

        for (name, origin) in origins where name != "name" {
            for request in origin.requests {
                let isNamed = request.value(of: "Host")?.hasPrefix("localhost") == true
                let stop = name == "a" && isNamed ? "name" : name
                #expect(stop == home || request.value(of: "Authorization") == nil, "at \(stop)")
                // Cookies are for a host, whatever the port (RFC 6265 §8.5); those over TLS and without are one host's.
                let own = ["a": ["a", "b"], "b": ["a", "b"], "six": ["six"]][stop] ?? ["name", "secure"]
                let cookie = request.value(of: "Cookie")
                #expect(cookie == nil || own.contains { cookie == "of=\($0)" }, "\(cookie ?? "") at \(stop)")
            }
        }
    }
}
