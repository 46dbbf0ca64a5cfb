// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct RedirectRuleCredentialsTests {
    /// The hops from `start` along the Locations, and for each whether credentials were sent ("+") or not ("-").
    struct Way: Sendable, CustomTestStringConvertible {
        let start: String
        let locations: [String]
        let credentials: String
        var testDescription: String { ([start] + locations).joined(separator: " > ") }

        init(_ start: String, _ locations: [String], _ credentials: String) {
            (self.start, self.locations, self.credentials) = (start, locations, credentials)
        }
    }

    private static let secrets: HeaderFields = [
        "Authorization": "Bearer secret", "authorization": "again", "Proxy-Authorization": "Basic secret",
        "COOKIE": "secret", "Cookie2": "secret", "Host": "virtual.test", "Origin": "http://a.test",
        "Referer": "http://a.test/secret", "X-API-Key": "secret",
    ]
    private static let others: HeaderFields = [
        "Accept": "*/*", "X-Authorization-Hint": "none", "Accept-Language": "de",
    ]

    private struct Journey {
        let requests: [URLRequest]
        let error: RedirectError?
    }

    /// Follows a chain to its end, or to where it is refused.
    private func hops(_ way: Way, allowsDowngrade: Bool = true) throws -> Journey {
        var sent = try URLRequest(string: way.start)
        sent.headers = HeaderFields(Array(Self.secrets) + Array(Self.others))
        sent.unixSocket = try UnixSocketName(path: "/run/web.sock")
        var chain = RedirectChain()
        var requests: [URLRequest] = []
        let rule = RedirectRule(policy: .follow(allowsDowngrade: allowsDowngrade))
        for location in way.locations {
            let outcome = rule.outcome(
                status: 307, locations: [Array(location.utf8)], setsCookies: false, sent: sent, of: sent, chain: chain,
                isSensitive: { $0.lowercased() == "x-api-key" })
            switch outcome {
            case .deliver: return Journey(requests: requests, error: nil)
            case .refuse(let error): return Journey(requests: requests, error: error)
            case .follow(let next):
                (sent, chain) = (next.request, next.chain)
                requests.append(sent)
                // What a session adds follows what the request has.
                #expect(chain.mayCarryCredentials == sent.headers.contains("Authorization"))
                #expect(chain.mayCarryCredentials == (sent.unixSocket != nil))
            }
        }
        return Journey(requests: requests, error: nil)
    }

    @Test(arguments: [
        Way("http://localhost/", ["/2", "3", "?4", "//localhost/5"], "++++"),
        // a > b, a > b > b, a > b > a
        Way("http://localhost/", ["http://127.0.0.1/"], "-"),
        Way("http://localhost/", ["http://127.0.0.1/", "/2"], "--"),
        Way("http://localhost/", ["http://127.0.0.1/", "http://localhost/"], "--"),
        Way("http://localhost/", ["/2", "http://127.0.0.1/", "http://localhost/", "/3"], "+---"),
        Way("http://127.0.0.1/", ["http://[::1]/", "http://127.0.0.1/"], "--"),
        // Scheme
        Way("http://localhost/", ["https://localhost/"], "-"), Way("https://localhost/", ["http://localhost/"], "-"),
        Way("http://localhost/", ["https://localhost/", "http://localhost/2"], "--"),
        Way("http://localhost:8/", ["https://localhost:8/"], "-"),
        Way("https://localhost/", ["http://localhost:443/"], "-"),
        // Port
        Way("http://localhost/", ["http://localhost:8080/"], "-"), Way("http://localhost:8/", ["//localhost/"], "-"),
        Way("http://localhost:8/", ["//localhost:8/2", "//localhost:08/3"], "++"),
        Way("http://localhost/", ["http://localhost:80/2", "http://localhost:/3"], "++"),
        Way("https://localhost:443/", ["https://localhost/"], "+"),
        Way("https://localhost/", ["https://localhost:80/"], "-"),
        // Host
        Way("http://LOCALHOST/", ["http://localhost/2", "HTTP://LocalHost/3"], "++"),
        Way("http://localhost/", ["http://localhost./"], "-"), Way("http://localhost./", ["http://localhost/"], "-"),
        Way("http://localhost/", ["http://x.localhost/"], "-"), Way("http://x.localhost/", ["http://localhost/"], "-"),
        Way("http://localhost/", ["http://evillocalhost/"], "-"),
        Way("http://a.test/", ["http://a.test.evil.test/"], "-"),
        Way("http://[::1]/", ["http://[::1]:80/2", "http://[0:0:0:0:0:0:0:1]/"], "++"),
        Way("http://[2001:DB8::a]/", ["http://[2001:db8::A]/2"], "+"),
        Way("http://127.0.0.1/", ["http://127.1/2", "http://2130706433/3", "http://0x7f.1./4"], "+++"),
        Way("http://127.0.0.1/", ["http://[::ffff:127.0.0.1]/"], "-"),
        // Userinfo
        Way("http://localhost/", ["http://u:p@localhost/"], "+"),
        Way("http://localhost/", ["//localhost@evil.test/"], "-"),
        Way("http://localhost/", ["//localhost:80@evil.test/"], "-"),
        Way("http://localhost/", ["http://evil.test@localhost/2"], "+"),
        // What looks like a host and is a path
        Way("http://localhost/", ["/\\evil.test/", "\\\\evil.test\\"], "++"),
        Way("http://localhost/", ["/.//evil.test"], "+"),
        Way("http://localhost/", ["///evil.test/"], ""),
    ])
    func `credentials stay at the origin, and do not come back`(_ way: Way) throws {
        let requests = try hops(way).requests
        #expect(requests.map { $0.headers.contains("Authorization") ? "+" : "-" }.joined() == way.credentials)
        for request in requests {
            // All of them, or none.
            let secrets = request.headers.contains("Authorization") ? Array(Self.secrets) : []
            #expect(request.headers == HeaderFields(secrets + Array(Self.others)))
        }
    }

    @Test(arguments: [
        ("https://a.test/", "http://a.test/", "http://a.test"),
        ("https://a.test/", "http://a.test:443/", "http://a.test:443"),
        ("https://a.test/", "HTTP://b.test/", "http://b.test"),
    ])
    func `from https to http only if allowed`(_ start: String, _ location: String, _ origin: String) throws {
        let refused = try hops(Way(start, [location], ""), allowsDowngrade: false)
        guard case .insecure(let named) = refused.error else {
            Issue.record("\(String(describing: refused.error))")
            return
        }
        #expect("\(named)" == origin)
        #expect(try hops(Way(start, [location], "-")).error == nil)
    }

    @Test func `what came to https by a redirect does not leave it either`() throws {
        let way = Way("http://a.test/", ["https://a.test/", "//b.test/", "http://a.test/"], "--")
        let journey = try hops(way, allowsDowngrade: false)
        #expect(journey.requests.count == 2)
        #expect(journey.error == .insecure(HTTPOrigin(scheme: .http, host: "a.test", port: 80)))
    }

    @Test(arguments: [
        ("http://a.test/", "http://u:p@a.test/2", "http://a.test/2"),
        ("http://a.test/", "//u@b.test/", "http://b.test/"),
        ("http://a.test/", "//a%40b@c.test/", "http://c.test/"),
        ("http://a.test/", "//u p\\@c.test/", "http://c.test/"),
        // The caller's goes where the caller's credentials go.
        ("http://me:pw@a.test/", "2", "http://me:pw@a.test/2"),
        ("http://me:pw@a.test/", "http://a.test/2", "http://me:pw@a.test/2"),
        ("http://me:pw@a.test/", "http://u:p@a.test/2", "http://me:pw@a.test/2"),
        ("http://me:pw@a.test/", "//b.test/", "http://b.test/"),
        ("http://me:pw@a.test/", "//u:p@b.test/", "http://b.test/"),
        ("http://me:pw@a.test/", "https://a.test/", "https://a.test/"),
    ])
    func `userinfo of a Location is removed`(_ start: String, _ location: String, _ target: String) throws {
        let request = try #require(try hops(Way(start, [location], "")).requests.first)
        #expect(request.url?.absoluteString == target)
    }

    @Test func `the caller's userinfo does not come back`() throws {
        let requests = try hops(Way("http://me:pw@a.test/", ["//b.test/", "//a.test/", "/2"], "---")).requests
        #expect(requests.last?.url?.absoluteString == "http://a.test/2")
    }

    @Test func `a request that a delegate sent elsewhere has left the origin too`() throws {
        let rule = RedirectRule(policy: .follow())
        var sent = try URLRequest(string: "http://a.test/")
        sent.headers = Self.secrets
        var chain = RedirectChain()
        for (location, detour) in [("/2", "http://b.test/"), ("//a.test/3", "http://a.test/3")] {
            let outcome = rule.outcome(
                status: 302, locations: [Array(location.utf8)], setsCookies: false, sent: sent, of: sent, chain: chain,
                isSensitive: { $0 == "X-API-Key" })
            guard case .follow(let next) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            (sent, chain) = (next.request, next.chain)
            sent.url = URL(string: detour)
        }
        #expect(!chain.mayCarryCredentials)
        #expect(sent.headers.isEmpty)
    }
}
