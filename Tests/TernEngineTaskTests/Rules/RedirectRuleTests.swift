// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct RedirectRuleTests {
    private func request(
        _ method: String = "GET", _ url: String = "http://a.test/1", _ fields: HeaderFields = [:], body: String? = nil
    ) throws -> URLRequest {
        var request = try URLRequest(string: url)
        request.httpMethod = method
        request.headers = fields
        request.httpBody = body.map { Data($0.utf8) }
        return request
    }

    private func outcome(
        _ status: Int, _ locations: [String] = ["/2"], setsCookies: Bool = false, sent: URLRequest,
        chain: RedirectChain = RedirectChain(), policy: RedirectPolicy = .follow()
    ) -> RedirectRule.Outcome {
        RedirectRule(policy: policy).outcome(
            status: status, locations: locations.map { Array($0.utf8) }, setsCookies: setsCookies, sent: sent, of: sent,
            chain: chain,
            isSensitive: { $0.lowercased() == "x-api-key" })
    }

    private func following(_ outcome: RedirectRule.Outcome) throws -> RedirectRule.Redirection {
        guard case .follow(let redirection) = outcome else {
            throw Unexpected(outcome: outcome)
        }
        return redirection
    }

    private func refusal(_ outcome: RedirectRule.Outcome) -> RedirectError? {
        guard case .refuse(let error) = outcome else { return nil }
        return error
    }

    private struct Unexpected: Error {
        let outcome: RedirectRule.Outcome
    }

    // What is a redirect.

    @Test func `only five statuses send a client elsewhere`() throws {
        let sent = try request()
        for status in 200...599 {
            switch outcome(status, sent: sent) {
            case .deliver: #expect(![301, 302, 303, 307, 308].contains(status))
            case .follow: #expect([301, 302, 303, 307, 308].contains(status))
            case .refuse(let error): Issue.record("\(status): \(error)")
            }
        }
    }

    @Test func `without a Location, with empty ones, or with the policy not to follow, the response is the answer`()
        throws
    {
        let sent = try request()
        for (locations, policy) in [
            ([], RedirectPolicy.follow()), ([""], .follow()), (["", ""], .follow()), (["/2"], .never),
            (["ftp://x/"], .never),
        ] {
            guard case .deliver = outcome(302, locations, sent: sent, policy: policy) else {
                Issue.record("\(locations)")
                continue
            }
        }
    }

    @Test func `the Locations of a response that is no redirect are not read`() throws {
        var isRead = false
        func locations() -> [[UInt8]] {
            isRead = true
            return [Array("/2".utf8)]
        }
        _ = RedirectRule(policy: .follow()).outcome(
            status: 200, locations: locations(), setsCookies: false, sent: try request(), of: try request(),
            chain: RedirectChain(), isSensitive: { _ in false })
        #expect(!isRead)
    }

    @Test func `several Locations must agree`() throws {
        let sent = try request()
        #expect(try following(outcome(302, ["/2", "/2"], sent: sent)).request.url?.absoluteString == "http://a.test/2")
        #expect(try following(outcome(302, ["", "/2"], sent: sent)).request.url?.absoluteString == "http://a.test/2")
        #expect(refusal(outcome(302, ["/2", "/3"], sent: sent)) == .ambiguousLocation)
        #expect(refusal(outcome(302, ["/2", "/2#f"], sent: sent)) == .ambiguousLocation)
    }

    // Method and content.

    /// "METHOD +" where the content goes along, "METHOD -" where it does not.
    private static let methods: [(String, [Int: String])] = [
        ("GET", [301: "GET +", 302: "GET +", 303: "GET -", 307: "GET +", 308: "GET +"]),
        ("HEAD", [301: "HEAD +", 302: "HEAD +", 303: "HEAD -", 307: "HEAD +", 308: "HEAD +"]),
        ("POST", [301: "GET -", 302: "GET -", 303: "GET -", 307: "POST +", 308: "POST +"]),
        ("PUT", [301: "PUT +", 302: "PUT +", 303: "GET -", 307: "PUT +", 308: "PUT +"]),
        ("PATCH", [301: "PATCH +", 302: "PATCH +", 303: "GET -", 307: "PATCH +", 308: "PATCH +"]),
        ("DELETE", [301: "DELETE +", 302: "DELETE +", 303: "GET -", 307: "DELETE +", 308: "DELETE +"]),
        ("OPTIONS", [301: "OPTIONS +", 302: "OPTIONS +", 303: "GET -", 307: "OPTIONS +", 308: "OPTIONS +"]),
        // Methods are case-sensitive (and Foundation's names are in capitals): this is none that is known.
        ("pOSTs", [301: "pOSTs +", 302: "pOSTs +", 303: "GET -", 307: "pOSTs +", 308: "pOSTs +"]),
    ]

    @Test func `what becomes of the method, the content and the fields about it`() throws {
        let about = [
            "Content-Type", "content-length", "CONTENT-ENCODING", "Content-MD5", "Transfer-Encoding", "Trailer",
            "Expect",
            "Digest", "Repr-Digest", "Last-Modified",
        ]
        let others = ["Accept", "Range", "If-None-Match", "X-Content-Type", "Contents"]
        for (method, results) in Self.methods {
            for (status, result) in results {
                let fields = HeaderFields((about + others).map { HeaderField(name: $0, value: "x") })
                let sent = try request(method, fields: fields)
                let next = try following(outcome(status, sent: sent))
                let keeps = result.hasSuffix("+")
                #expect(
                    "\(next.request.method) \(next.request.httpBody == nil ? "-" : "+")" == result,
                    "\(status) \(method)")
                #expect(next.request.httpBody == (keeps ? sent.httpBody : nil))
                #expect(next.request.headers.map(\.name) == (keeps ? about + others : others))
            }
        }
    }

    private func request(_ method: String, fields: HeaderFields) throws -> URLRequest {
        try request(method, "http://a.test/1", fields, body: "content")
    }

    // Where it leads.

    @Test(
        .proves("14.7b"),
        arguments: [
            ("http://a.test/b/c?q", "d", "http://a.test/b/d"), ("http://a.test/b/c?q", "?r", "http://a.test/b/c?r"),
            ("http://a.test", "d", "http://a.test/d"), ("http://a.test/b", "//c.test/d", "http://c.test/d"),
            ("https://a.test/b", "//c.test:8/d", "https://c.test:8/d"),
            ("http://a.test/b", "HTTPS://C.test", "HTTPS://C.test"),
            // RFC 9110 §10.2.2
            ("http://a.test/b#f", "/c", "http://a.test/c#f"), ("http://a.test/b#f", "/c#g", "http://a.test/c#g"),
            ("http://a.test/b#f", "/c#", "http://a.test/c#"), ("http://a.test/b#f", "#g", "http://a.test/b#g"),
            ("http://a.test/b#f", "http://c.test/", "http://c.test/#f"),
            ("http://a.test/", "/a b\u{fc}?[\\]#%", "http://a.test/a%20b%C3%BC?%5B%5C%5D#%25"),
            ("http://a.test/b/c", "\\\\evil.test\\d", "http://a.test/b/%5C%5Cevil.test%5Cd"),
            ("http://a.test/b/c", "/\\evil.test", "http://a.test/%5Cevil.test"),
            // The URL Standard and curl: a host, after any number of slashes.
            ("http://a.test/b", "http:///d.test/e", "http://d.test/e"),
            ("http://a.test/b", "HTTP:////d.test:8?q#f", "HTTP://d.test:8?q#f"),
            ("http://a.test/b", "https:/d.test/e", "https://d.test/e"),
            ("http://a.test/b", "https:///ada@b\u{fc}cher.test/", "https://xn--bcher-kva.test/"),
        ])
    func `leads to`(_ url: String, _ location: String, _ target: String) throws {
        let next = try following(outcome(302, [location], sent: request("GET", url)))
        #expect(next.request.url?.absoluteString == target)
        #expect(next.chain.count == 1)
    }

    @Test(arguments: [
        ("file:///etc/passwd", RedirectError.invalidLocation(.unsupportedScheme("file"))),
        ("javascript:alert(1)", .invalidLocation(.unsupportedScheme("javascript"))),
        ("FTP://a.test/", .invalidLocation(.unsupportedScheme("ftp"))),
        ("127.0.0.1:8080/", .invalidLocation(.unsupportedScheme(""))),
        ("a.test:8080/", .invalidLocation(.unsupportedScheme("a.test"))),
        ("http:", .invalidLocation(.invalidHost(""))), ("http:d", .invalidLocation(.invalidHost(""))),
        // The base's path for browsers, a host for curl; and the same host's path for Go, a host for both.
        ("http:/d.test/e", .invalidLocation(.invalidHost(""))), ("///d.test/e", .invalidLocation(.invalidHost(""))),
        ("http:///", .invalidLocation(.invalidHost(""))), ("https:/", .invalidLocation(.invalidHost(""))),
        ("//", .invalidLocation(.invalidHost(""))),
        ("http:\\\\evil.test\\", .invalidLocation(.invalidHost(""))),
        ("//a b/", .invalidLocation(.invalidHost("a b"))),
        ("http://a.test\\@evil.test\\/", .invalidLocation(.invalidHost("evil.test\\"))),
        ("//a.test:0/", .invalidLocation(.invalidPort("0"))), ("//a.test:x/", .invalidLocation(.invalidPort("x"))),
        ("/a\rb", .malformedLocation), ("/a\tb", .malformedLocation), ("java\nscript:x", .malformedLocation),
        ("\0", .malformedLocation), ("http://a.test\u{7f}/", .malformedLocation),
    ])
    func `does not lead to`(_ location: String, _ error: RedirectError) throws {
        #expect(refusal(outcome(302, [location], sent: try request())) == error)
    }

    // How far.

    @Test func `as many redirects as the limit says`() throws {
        for limit in [-1, 0, 1, 20] {
            var sent = try request()
            var chain = RedirectChain()
            for hop in 0..<max(0, limit) {
                let next = try following(
                    outcome(302, ["/\(hop + 10)"], sent: sent, chain: chain, policy: .follow(limit: limit)))
                (sent, chain) = (next.request, next.chain)
            }
            let last = outcome(302, ["/last"], sent: sent, chain: chain, policy: .follow(limit: limit))
            #expect(refusal(last) == .tooMany(limit: max(0, limit)))
        }
    }

    @Test(arguments: [
        // Once the same is asked again it may have become another answer; not twice.
        ("GET", "http://a.test/1", ["/1"], 1), ("GET", "http://a.test/1", ["/2", "/1"], 2),
        ("GET", "http://A.test:80/1#f", ["//a.TEST/1#g"], 1), ("HEAD", "http://a.test", ["http://a.test/"], 1),
        ("POST", "http://a.test/1", ["/1"], 2),
        // With credentials and without are two questions.
        ("GET", "http://a.test/1", ["//b.test/1", "//a.test/1"], 3),
    ])
    func `goes round in circles`(_ method: String, _ url: String, _ locations: [String], _ hops: Int) throws {
        var sent = try request(method, url)
        var chain = RedirectChain()
        for hop in 0..<hops {
            let next = try following(outcome(301, [locations[hop % locations.count]], sent: sent, chain: chain))
            (sent, chain) = (next.request, next.chain)
        }
        let last = outcome(301, [locations[hops % locations.count]], sent: sent, chain: chain)
        #expect(refusal(last) == .loop(try sent.destination.get().origin))
    }

    @Test func `a rule that ends no loop follows it to the limit`() throws {
        let sent = try request()
        let patient = RedirectRule(policy: .follow(limit: 100), endsLoops: false)
        var (chain, count) = (RedirectChain(), 0)
        while case .follow(let next) = patient.outcome(
            status: 301, locations: [Array("/2".utf8)], setsCookies: false, sent: sent, of: sent, chain: chain,
            isSensitive: { _ in false })
        {
            (chain, count) = (next.chain, count + 1)
        }
        #expect(count == 100)
    }

    @Test func `a request with an added cookie is another request`() throws {
        let first = try following(outcome(301, ["/1"], sent: request()))
        var sent = first.request
        sent.headers["Cookie"] = "seen=1"
        #expect(throws: Never.self) { try following(outcome(301, ["/1"], sent: sent, chain: first.chain)) }
    }

    @Test(arguments: [(302, false), (303, false), (307, false), (301, true), (308, true)])
    func `a redirect that may answer differently is followed up to the limit`(_ status: Int, setsCookies: Bool) throws {
        var (sent, chain, hops) = (try request(), RedirectChain(), 0)
        while case .follow(let next) = outcome(status, ["/1"], setsCookies: setsCookies, sent: sent, chain: chain) {
            (sent, chain, hops) = (next.request, next.chain, hops + 1)
        }
        #expect(hops == 20)
        let last = outcome(status, ["/1"], setsCookies: setsCookies, sent: sent, chain: chain)
        #expect(refusal(last) == .tooMany(limit: 20))
    }

    @Test func `a Location keeps its bytes, and its host may be a name beyond ASCII`() throws {
        for (location, url) in [
            (Array("/caf".utf8) + [0xE9], "http://a.test/caf%E9"),
            (Array("/caf\u{E9}".utf8), "http://a.test/caf%C3%A9"),
            (Array("/a%20b[1]".utf8), "http://a.test/a%20b%5B1%5D"),
            (Array("//b\u{FC}cher.test/y".utf8), "http://xn--bcher-kva.test/y"),
        ] {
            let sent = try request()
            let outcome = RedirectRule(policy: .follow()).outcome(
                status: 302, locations: [location], setsCookies: false, sent: sent, of: sent, chain: RedirectChain(),
                isSensitive: { _ in false })
            #expect(try following(outcome).request.url?.absoluteString == url)
        }
    }

    @Test func `what was added to the request as sent is not in the next one`() throws {
        let own = try request("GET", "http://a.test/1?q=1", ["X-Own": "1", "Authorization": "Basic eDp5"])
        var sent = own
        sent.url = URL(string: "http://a.test/1?q=1&token=secret")
        sent.headers = ["X-Own": "1", "Authorization": "Bearer secret", "X-Api-Token": "secret", "Cookie": "a=b"]
        for location in ["/2", "?r", "#f", "//b.test/2"] {
            let outcome = RedirectRule(policy: .follow()).outcome(
                status: 307, locations: [Array(location.utf8)], setsCookies: false, sent: sent, of: own,
                chain: RedirectChain(),
                isSensitive: { _ in false })
            let next = try following(outcome).request
            let isHome = location != "//b.test/2"
            #expect(next.headers == (isHome ? own.headers : ["X-Own": "1"]), "\(location)")
            if location != "#f" { #expect(next.url?.absoluteString.contains("secret") == false, "\(location)") }
        }
    }

    @Test func `a Location has at most 8 KB, and makes a URL of four times that`() throws {
        let limit = RedirectPolicy.maximumLocationLength
        let tooLong = RedirectError.locationTooLong(limit: limit)
        let longest = "/" + String(repeating: "a", count: limit - 1)
        let next = try following(outcome(302, [longest], sent: request()))
        #expect(next.request.url?.path().utf8.count == limit)
        #expect(refusal(outcome(302, [longest + "a"], sent: try request())) == tooLong)
        // In escapes it is three times as long.
        let umlauts = "/" + String(repeating: "\u{e9}", count: (limit - 1) / 2)
        #expect(throws: Never.self) { try following(outcome(302, [umlauts], sent: request())) }
        // Relative, with what the server has led to before.
        var (sent, chain) = (try request("GET", "http://a.test/"), RedirectChain())
        var hops = 0
        let folder = String(repeating: "b", count: 8000) + "/"
        while case .follow(let next) = outcome(302, ["\(hops)\(folder)"], sent: sent, chain: chain) {
            (sent, chain, hops) = (next.request, next.chain, hops + 1)
        }
        #expect(hops == 4)
        // A caller may ask for what it likes, and is led away from there.
        let own = try request("GET", "http://a.test/" + String(repeating: "c", count: 100_000) + "/d")
        #expect(throws: Never.self) { try following(outcome(302, ["/"], sent: own)) }
    }

    @Test func `a chain without a limit remembers the last requests, and notices a circle among them`() throws {
        let unlimited = RedirectPolicy.follow(limit: .max)
        for (length, isNoticed) in [
            (RedirectPolicy.maximumRememberedHops, true), (RedirectPolicy.maximumRememberedHops + 1, false),
        ] {
            var (sent, chain) = (try request("GET", "http://a.test/0"), RedirectChain())
            var hops = 0
            while hops < 3 * length,
                case .follow(let next) = outcome(
                    301, ["/\((hops + 1) % length)"], sent: sent, chain: chain, policy: unlimited)
            {
                (sent, chain, hops) = (next.request, next.chain, hops + 1)
            }
            #expect(hops == (isNoticed ? length : 3 * length))
        }
    }

    // What the words show.

    @Test func `errors show no more of a URL than its origin`() throws {
        let secret = "http://user:secret@a.test/secret?secret"
        let once = try following(outcome(301, [secret], sent: request("GET", secret)))
        let loop = try #require(refusal(outcome(301, [secret], sent: once.request, chain: once.chain)))
        let insecure = try #require(refusal(outcome(302, [secret], sent: request("GET", "https://a.test/secret"))))
        #expect("\(loop)" == "the redirects go round in circles: http://a.test was asked the same before")
        #expect("\(insecure)" == "the redirect leads from https to http://a.test")
        for error in [loop, insecure] { #expect(!String(reflecting: error).contains("secret")) }
        #expect("\(RedirectError.tooMany(limit: 20))" == "more than 20 redirects")
        #expect(
            "\(RedirectError.invalidLocation(.unsupportedScheme("ftp")))"
                == "the redirect's Location cannot be requested: the scheme \"ftp\" is not http or https")
    }
}
