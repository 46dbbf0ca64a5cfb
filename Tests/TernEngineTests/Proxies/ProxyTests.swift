// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import Testing

@testable import TernEngine

@Suite struct ProxyTests {
    @Test(
        arguments: [
            ("proxy.example", "http://proxy.example:1080", nil), ("http://p:8080/path?x#y", "http://p:8080", nil),
            ("HTTPS://p", "https://p:443", nil), ("socks://p", "socks4://p:1080", nil),
            ("socks5h://user:pass%40word@p:9050", "socks5h://p:9050", "user pass@word"),
            ("http://u@p:3128", "http://p:3128", "u "), ("[::1]:3128", "http://[::1]:3128", nil),
            ("http://[::1]", "http://[::1]:1080", nil), ("socks4a://127.0.0.1:80", "socks4a://127.0.0.1:80", nil),
            ("https://p:80", "https://p:80", nil), ("http://u:100%@p", "http://p:1080", "u 100%"),
            ("http://a%6:%6q%41@p", "http://p:1080", "a%6 %6qA"), ("socks5://%:%%41@p", "socks5://p:1080", "% %A"),
            ("http://%31%32%37.0.0.1:81", "http://127.0.0.1:81", nil), ("%50.test", "http://p.test:1080", nil),
            ("u%3Av:w:x@p", "http://p:1080", "u:v w:x"), ("http://u:p@ss@p", "http://p:1080", "u p@ss"),
        ] as [(String, String, String?)])
    func `a proxy is read as curl reads it`(text: String, expected: String, credential: String?) throws {
        let proxy = try Proxy(text)
        #expect("\(proxy)" == expected)
        #expect(proxy.credential.map { "\($0.user) \($0.password)" } == credential)
        #expect(!"\(proxy)".contains("pass"))
    }

    @Test(arguments: Proxy.Kind.allCases) func `every kind is read by its scheme and written so`(kind: Proxy.Kind)
        throws
    {
        let proxy = try Proxy("\(kind.rawValue)://p")
        #expect(proxy == Proxy(kind, host: "p") && "\(proxy)" == "\(kind.rawValue)://p:\(kind.defaultPort)")
        #expect(proxy.server.scheme == kind.scheme && proxy.server.port == kind.defaultPort)
        // What speaks HTTP gets names; so a chain of them resolves nothing.
        #expect(kind.isHTTP == (kind.tunnelProtocol == .connect) && (!kind.isHTTP || kind.resolvedFamily == nil))
    }

    @Test(
        arguments: [
            ("ftp://p", "no proxy has the scheme ftp: http, https, socks4, socks4a, socks5, socks5h do"),
            ("", "no host and port of a proxy: "), ("http://", "no host and port of a proxy: "),
            ("http://user:secret@", "no host and port of a proxy: "),
            ("http://user:secret@p:99999", "no host and port of a proxy: p:99999"),
            ("http://a b", "no host and port of a proxy: a b"),
            ("http://user:secret/@p:1", "no host and port of a proxy: p:1"),
            ("http://a%2Fb:1", "no host and port of a proxy: a%2Fb:1"),
            ("http://a%3A1", "no host and port of a proxy: a%3A1"),
            ("http://a%zz", "no host and port of a proxy: a%zz"),
            ("http://a%20b", "no host and port of a proxy: a%20b"),
        ])
    func `what is no proxy is refused, without its password`(text: String, message: String) {
        let error = #expect(throws: InvalidProxy.self) { try Proxy(text) }
        #expect(error.map { "\($0)" } == message)
    }

    @Test(
        arguments: [
            ("", "a.test", false), ("*", "a.test", true), ("*", "::1", true), ("a.test", "a.test", true),
            ("a.test", "b.a.test", true), (".a.test", "a.test", true), (".a.test", "b.a.test", true),
            ("a.test", "ba.test", false), ("A.Test.", "a.tEST", true), ("a.test", "a.test.", true),
            ("a.test", "a.test.example", false), ("x, a.test", "a.test", true), ("x a.test", "a.test", true),
            ("x,,a.test,", "a.test", true), ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false),
            ("10.0.0.0/8", "10.2.3.4", true), ("10.1.2.3/8", "10.2.3.4", true), ("10.0.0.0/8", "11.0.0.1", false),
            ("192.168.0.0/24", "192.168.1.1", false), ("::1", "[::1]", true), ("[::1]", "::1", true),
            ("2001:db8::/32", "2001:db8:1::1", true), ("fe80::/10", "fe81::1", true), ("0.0.1", "127.0.0.1", false),
            ("10.0.0.0/33", "10.0.0.0", false), ("127.0.0.0/8", "127.1", true),
            ("127.0.0.0/8", "0x7f.1", true), ("127.0.0.0/8", "2130706433.", true), ("127.1", "127.0.0.1", true),
            ("0x7f000001", "127.0.0.1", true), ("127.1", "127.0.0.2", false), ("localhost", "127.0.0.1", false),
            ("*.a.test", "b.a.test", true), ("*.a.test", "a.test", false), ("..a.test", "b.a.test", true),
            ("b.test, *", "a.test", true), ("a.test:80", "a.test", true), ("a.test:80", "c.a.test", true),
            ("a.test:81", "a.test", false), ("127.1:80", "127.0.0.1", true), ("[::1]:80", "::1", true),
            ("[::1]:81", "::1", false), ("::1:80", "::1", false), ("a.test\tb.test", "b.test", true),
            ("a.test:x", "a.test", false), ("169.254/16", "169.254.1.1", false),
            ("B\u{fc}cher.test", "xn--bcher-kva.test", true), (".b\u{fc}cher.test", "a.b\u{fc}cher.test", true),
            ("xn--7bi.test", "\u{270c}.test", true),
            ("127.0.0.1", "127.0.0.1..", true), (".", "a.test", false), ("*a.test", "ba.test", false),
        ] as [(String, String, Bool)])
    func `hosts without a proxy are matched as in curl, Go and Python`(list: String, host: String, matches: Bool) {
        #expect(ProxyExceptions(list).contains(host: host, port: 80) == matches)
        if list.contains(":80") { #expect(!ProxyExceptions(list).contains(host: host)) }
    }

    @Test(
        arguments: [
            ("*.local", "a.local", true), ("*.local", "local", false), ("*.local", "a.local.", true),
            ("169.254/16", "169.254.169.254", true), ("169.254/16", "169.253.1.1", false), ("127/8", "127.1", true),
            ("10.0.0.0/8", "10.1.2.3", true), ("127.0.0.*", "127.0.0.1", true), ("127.0.0.*", "127.0.1.1", false),
            ("*localhost", "a.localhost", true), ("*localhost", "localhost", true), ("*", "::1", true),
            ("a.test", "a.test", true), ("a.test", "b.a.test", false), (".a.test", "b.a.test", true),
            (".a.test", "a.test", false), ("A.*.Test", "a.b.c.test", true), ("a.*.test", "a.test", false),
            ("*a*b*", "xaxbx", true), ("*a*b*", "xbxax", false), ("a*a", "a", false), ("fe80::/10", "fe80::1", true),
            ("[::1]", "::1", true), ("127.1", "127.0.0.1", true), (" a.test ", "a.test", true), ("", "a", false),
            ("a.test,b.test", "b.test", false), ("b/8", "b", false),
        ] as [(String, String, Bool)])
    func `patterns without a proxy are matched as by CFNetwork`(pattern: String, host: String, matches: Bool) {
        #expect(ProxyExceptions(patterns: ["x", pattern]).contains(host: host) == matches)
    }

    @Test(arguments: [("printer", true), ("a.test", false), ("127.0.0.1", false), ("::1", false), ("printer.", true)])
    func `names without a dot are exceptions where that is said`(host: String, matches: Bool) {
        #expect(ProxyExceptions(patterns: [], excludesSimpleHostnames: true).contains(host: host) == matches)
        #expect(!ProxyExceptions(patterns: []).contains(host: host))
    }

    @Test(
        arguments: [
            ([:], "http://a.test/", nil), (["http_proxy": "p:1"], "http://a.test/", "http://p:1"),
            (["HTTP_PROXY": "p:1"], "http://a.test/", nil), (["http_proxy": "p:1"], "https://a.test/", nil),
            (["https_proxy": "p:1", "HTTPS_PROXY": "q:1"], "https://a.test/", "http://p:1"),
            (["HTTPS_PROXY": "q:1"], "https://a.test/", "http://q:1"),
            (["all_proxy": "socks5://p:1"], "http://a.test/", "socks5://p:1"),
            (["ALL_PROXY": "p:1", "https_proxy": "q:1"], "https://a.test/", "http://q:1"),
            (["http_proxy": "", "all_proxy": "p:1"], "http://a.test/", "http://p:1"),
            (["http_proxy": "p:1", "no_proxy": "a.test"], "http://a.test/", nil),
            (["http_proxy": "p:1", "NO_PROXY": "a.test"], "http://b.a.test/", nil),
            (["http_proxy": "p:1", "no_proxy": "", "NO_PROXY": "a.test"], "http://a.test/", nil),
            (["http_proxy": "p:1", "no_proxy": "b.test", "NO_PROXY": "a.test"], "http://a.test/", "http://p:1"),
        ] as [([String: String], String, String?)])
    func `the environment names proxies with curl's rules`(
        variables: [String: String], url: String, expected: String?
    ) throws {
        let settings = ProxySettings.environment(variables)
        #expect(try settings.proxy(for: try #require(URL(string: url))).map { "\($0)" } == expected)
    }

    @Test(
        arguments: [
            (["https_proxy": "quic://user:secret@p"], "https://a.test/", "https_proxy: no proxy has the scheme quic"),
            (["https_proxy": "quic://user:secret@p"], "http://a.test/", nil),
            (["all_proxy": "bad url", "http_proxy": "p"], "http://a.test/", nil),
            (["all_proxy": "bad url", "http_proxy": "p"], "https://a.test/", "all_proxy: no host and port"),
            (["http_proxy": "http://", "no_proxy": "a.test"], "http://a.test/", nil),
            (["http_proxy": "u:secret@", "no_proxy": "a.test"], "http://b.test/", "http_proxy: no host and port"),
        ] as [([String: String], String, String?)])
    func `a variable that names no proxy is the error of the URLs that would use it, without its password`(
        variables: [String: String], url: String, message: String?
    ) async throws {
        let settings = ProxySettings.environment(variables)
        let (url, request) = (try #require(URL(string: url)), try URLRequest(string: url))
        guard let message else {
            _ = try settings.proxy(for: url)
            return
        }
        let error = #expect(throws: InvalidProxy.self) { try settings.proxy(for: url) }
        let failure = try #require(
            await #expect(throws: SessionError.self) {
                try await Session.limited(to: 1) { $0.proxySettings = settings }.data(for: request)
            })
        guard case .connecting(.invalidProxy) = failure.reason else { throw failure }
        for text in ["\(try #require(error))", "\(failure)"] {
            #expect(text.hasPrefix(message) && !text.contains("secret"), "\(text)")
        }
    }

    @Test func `the PROXY protocol's headers have the bytes of its specification`() throws {
        let source = TransportAddress(literal: "192.168.0.1", port: 56324)
        let target = TransportAddress(literal: "192.168.0.11", port: 443)
        let line = ProxyProtocol.v1.header(from: source, to: target)
        #expect(String(decoding: line, as: UTF8.self) == "PROXY TCP4 192.168.0.1 192.168.0.11 56324 443\r\n")
        let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
        #expect(
            ProxyProtocol.v2.header(from: source, to: target) == signature + [
                0x21, 0x11, 0, 12, 192, 168, 0, 1, 192, 168, 0, 11, 0xDC, 0x04, 0x01, 0xBB,
            ])
        let six = ProxyProtocol.v2.header(
            from: TransportAddress(literal: "::1", port: 1), to: TransportAddress(literal: "::2", port: 2))
        #expect(six.count == 16 + 36 && six[13] == 0x21 && six[15] == 36)
        #expect(String(decoding: ProxyProtocol.v1.header(from: nil, to: target), as: UTF8.self) == "PROXY UNKNOWN\r\n")
        #expect(ProxyProtocol.v2.header(from: nil, to: nil) == signature + [0x20, 0, 0, 0])
    }
}

/// Dialogues with SOCKS proxies, each delivered whole, byte by byte, and cut off at each byte.
@Suite struct SOCKSHandshakeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var kind = Proxy.Kind.socks5h
        var credential: PasswordCredential?
        var target = SOCKSHandshake.Target.name("a.test", port: 443)
        /// What is sent first.
        let first: [UInt8]
        /// What the proxy answers, and what is sent then.
        let dialogue: [(answer: [UInt8], sent: [UInt8])]
        /// Nil where the tunnel opens.
        var failure: String?
    }

    private static let name = Array("a.test".utf8)
    private static let user = PasswordCredential(user: "me", password: "pw")
    private static let request: [UInt8] = [5, 1, 0, 3, 6] + name + [1, 0xBB]
    private static let granted: [UInt8] = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]

    static let rows: [Row] = [
        Row(testDescription: "a name", first: [5, 1, 0], dialogue: [([5, 0], request), (granted, [])]),
        Row(
            testDescription: "an IPv6 address, bound to a name",
            target: .address(IPAddress(literal: "::1") ?? .any, port: 80), first: [5, 1, 0],
            dialogue: [
                ([5, 0], [5, 1, 0, 4] + [UInt8](repeating: 0, count: 15) + [1, 0, 80]),
                ([5, 0, 0, 3, 2, 97, 98, 0, 1], []),
            ]),
        Row(
            testDescription: "a password", credential: user, first: [5, 2, 0, 2],
            dialogue: [([5, 2], [1, 2, 109, 101, 2, 112, 119]), ([1, 0], request), (granted, [])]),
        Row(
            testDescription: "a password that is not requested", credential: user, first: [5, 2, 0, 2],
            dialogue: [([5, 0], request), ([5, 0, 0, 4] + [UInt8](repeating: 0, count: 18), [])]),
        Row(
            testDescription: "a wrong password", credential: user, first: [5, 2, 0, 2],
            dialogue: [([5, 2], [1, 2, 109, 101, 2, 112, 119]), ([1, 1], [])],
            failure: "the SOCKS proxy refused the name and the password"),
        Row(
            testDescription: "no method", first: [5, 1, 0], dialogue: [([5, 0xFF], [])],
            failure: "the SOCKS proxy accepts no authentication method that the client has"),
        Row(
            testDescription: "a method that was not offered", first: [5, 1, 0], dialogue: [([5, 2], [])],
            failure: "the SOCKS proxy's answer is malformed: method"),
        Row(
            testDescription: "HTTP", first: [5, 1, 0], dialogue: [(Array("HTTP/1.1 400".utf8), [])],
            failure: "the SOCKS proxy's answer is malformed: version"),
        Row(
            testDescription: "a refusal", first: [5, 1, 0], dialogue: [([5, 0], request), ([5, 5], [])],
            failure: "the SOCKS proxy refused: connection refused"),
        Row(
            testDescription: "a reserved byte", first: [5, 1, 0], dialogue: [([5, 0], request), ([5, 0, 1], [])],
            failure: "the SOCKS proxy's answer is malformed: reserved byte"),
        Row(
            testDescription: "an unknown type of address", first: [5, 1, 0],
            dialogue: [([5, 0], request), ([5, 0, 0, 9], [])],
            failure: "the SOCKS proxy's answer is malformed: address type"),
        Row(
            testDescription: "version 4a", kind: .socks4a, first: [4, 1, 1, 0xBB, 0, 0, 0, 1, 0] + name + [0],
            dialogue: [([0, 90, 0, 0, 0, 0, 0, 0], [])]),
        Row(
            testDescription: "version 4", kind: .socks4, credential: user,
            target: .address(IPAddress(literal: "192.0.2.1") ?? .any, port: 80),
            first: [4, 1, 0, 80, 192, 0, 2, 1, 109, 101, 0], dialogue: [([0, 91, 0, 0, 0, 0, 0, 0], [])],
            failure: "the SOCKS proxy refused: request rejected or failed"),
    ]

    @Test(arguments: rows) func `the dialogue is that of the RFC`(row: Row) throws {
        for isWhole in [true, false] {
            var handshake = SOCKSHandshake(row.kind, row.credential, to: row.target)
            #expect(try handshake.begin() == row.first)
            do throws(ProxyError) {
                for (index, turn) in row.dialogue.enumerated() {
                    var steps: [TunnelStep] = []
                    for piece in isWhole ? [turn.answer] : turn.answer.map({ [$0] }) {
                        var offset = 0
                        steps.append(try handshake.receive(piece, from: &offset))
                        if offset == piece.count { continue }
                        Issue.record("bytes are left")
                    }
                    #expect(steps.dropLast().allSatisfy { $0 == .wait })
                    #expect(steps.last == (index + 1 < row.dialogue.count ? .send(turn.sent) : .open))
                }
                #expect(row.failure == nil)
            } catch {
                #expect("\(error)" == row.failure)
            }
        }
    }

    @Test func `what follows the answer is left for the tunnel`() throws {
        var handshake = SOCKSHandshake(.socks5h, nil, to: .name("a.test", port: 443))
        _ = try handshake.begin()
        var offset = 0
        _ = try handshake.receive([5, 0], from: &offset)
        offset = 0
        #expect(try handshake.receive(Self.granted + [1, 2, 3], from: &offset) == .open)
        #expect(offset == Self.granted.count)
    }

    @Test func `what SOCKS cannot express is refused before it is sent`() {
        var long = SOCKSHandshake(.socks5h, PasswordCredential(user: "", password: "x"), to: .name("a", port: 1))
        #expect(throws: ProxyError.self) { try long.begin() }
        var six = SOCKSHandshake(.socks4, nil, to: .address(IPAddress(literal: "::1") ?? .any, port: 1))
        #expect(throws: ProxyError.self) { try six.begin() }
    }
}

extension IPAddress {
    fileprivate static var any: IPAddress { IPAddress(literal: "0.0.0.0") ?? .any }
}

/// Answers to CONNECT.
@Suite struct ConnectHandshakeTests {
    private let origin = HTTPOrigin(scheme: .https, host: "a.test", port: 443)

    private func answer(
        _ text: String, _ proxy: Proxy = Proxy(.http, host: "p.test"), isFirst: Bool = true,
        logins: ProxyLogins = ProxyLogins()
    ) throws -> (step: TunnelStep, rest: String) {
        let handshake = ConnectHandshake(proxy, to: origin, logins, limits: ParsingLimits(), isFirst: isFirst)
        _ = try handshake.begin()
        let bytes = Array(text.utf8)
        var offset = 0
        let step = try handshake.receive(bytes, from: &offset)
        return (step, String(decoding: bytes[offset...], as: UTF8.self))
    }

    @Test func `the request names host and port, and has the proxy's fields alone`() throws {
        var proxy = Proxy(.http, host: "p.test")
        proxy.credential = PasswordCredential(user: "u", password: "p", schemes: .basic)
        proxy.connectHeaders = ["X-Trace": "1", "Host": "other.test"]
        let handshake = ConnectHandshake(proxy, to: origin, ProxyLogins(), limits: ParsingLimits(), isFirst: true)
        #expect(
            String(decoding: try handshake.begin(), as: UTF8.self) == """
                CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\nX-Trace: 1\r\n\
                Proxy-Authorization: Basic dTpw\r\n\r\n
                """)
        let six = HTTPOrigin(scheme: .http, host: "[::1]", port: 80)
        let other = ConnectHandshake(
            Proxy(.http, host: "p"), to: six, ProxyLogins(), limits: ParsingLimits(), isFirst: true)
        #expect(
            String(decoding: try other.begin(), as: UTF8.self)
                == "CONNECT [::1]:80 HTTP/1.1\r\nHost: [::1]:80\r\n\r\n")
    }

    @Test func `the caller's own Proxy-Authorization stands alone, and a 407 to it is final`() throws {
        var proxy = Proxy(.http, host: "p.test")
        proxy.credential = PasswordCredential(user: "u", password: "p")
        proxy.connectHeaders = ["proxy-authorization": "Bearer t"]
        let logins = ProxyLogins()
        let handshake = ConnectHandshake(proxy, to: origin, logins, limits: ParsingLimits(), isFirst: true)
        #expect(
            String(decoding: try handshake.begin(), as: UTF8.self)
                == "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\nproxy-authorization: Bearer t\r\n\r\n")
        let refused = "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 0\r\n\r\n"
        #expect(throws: ProxyError.self) { try answer(refused, proxy, logins: logins) }
        proxy.connectHeaders = [:]
        #expect(try answer(refused, proxy, logins: logins).step == .repeated)
    }

    @Test(
        arguments: [
            ("HTTP/1.1 200 OK\r\n\r\n", ""), ("HTTP/1.0 200 Connection established\r\n\r\n", ""),
            ("HTTP/1.1 204 X\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", ""),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nrest", "rest"),
        ])
    func `2xx opens the tunnel, whatever length it names`(text: String, rest: String) throws {
        let answer = try answer(text)
        #expect(answer.step == .open && answer.rest == rest)
    }

    @Test(
        arguments: [
            ("HTTP/1.1 407 Proxy Authentication Required\r\nHTTP/1.1 200 OK\r\n\r\n", "malformed"),
            ("HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nbody", "403 Forbidden"),
            ("HTTP/1.1 302 Found\r\nLocation: http://b.test/\r\nContent-Length: 0\r\n\r\n", "302 Found"),
            ("HTTP/1.1 407 X\r\nProxy-Authenticate: Basic realm=a\r\nContent-Length: 0\r\n\r\n", "407 X"),
            ("HTTP/1.1 101 Switching Protocols\r\n\r\n", "malformed"), ("SSH-2.0-x\r\n", "malformed"),
            ("HTTP/1.1 200 OK\nX: y\n\n", "malformed"), ("HTTP/2 200\r\n\r\n", "malformed"),
        ])
    func `anything else is an error that says what came`(text: String, message: String) {
        let error = #expect(throws: ProxyError.self) { try answer(text) }
        #expect(error.map { "\($0)".contains(message) } == true)
        guard case .refused(let refusal)? = error, refusal.status == 403 else { return }
        #expect(refusal.body == Array("body".utf8))
    }

    @Test func `an answer has less room than a response`() throws {
        let head = "HTTP/1.1 200 OK\r\n"
        let fields = { (count: Int) in String(repeating: "X: \(String(repeating: "y", count: 1019))\r\n", count: count)
        }
        #expect(try answer(head + fields(63) + "\r\n").step == .open)
        let informational = { (count: Int) in String(repeating: "HTTP/1.1 102 X\r\n\r\n", count: count) }
        #expect(try answer(informational(4) + head + "\r\n").step == .open)
        for text in [head + fields(65), informational(5)] {
            let error = #expect(throws: ProxyError.self) { try answer(text) }
            guard case .malformedResponse? = error else { return #expect(Bool(false), "\(String(describing: error))") }
        }
        let chunks = String(repeating: "1\r\nx\r\n", count: 70_000)
        let error = #expect(throws: ProxyError.self) {
            try answer("HTTP/1.1 403 X\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
        }
        guard case .refused(let refusal)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(refusal.body.count == ConnectHandshake.maximumBodySize)
    }

    @Test func `a 407 is answered once with Basic, and with Digest for as long as the nonce is stale`() throws {
        var proxy = Proxy(.http, host: "p.test")
        proxy.credential = PasswordCredential(user: "u", password: "p")
        let logins = ProxyLogins()
        let basic = "HTTP/1.1 407 X\r\nProxy-Authenticate: Basic realm=a\r\nContent-Length: 0\r\n\r\n"
        #expect(try answer(basic, proxy, logins: logins).step == .repeated)
        #expect(throws: ProxyError.self) { try answer(basic, proxy, isFirst: false, logins: logins) }
        let digest = basic.replacing("Basic realm=a", with: "Digest realm=a, nonce=n, qop=auth")
        let stale = digest.replacing("nonce=n", with: "nonce=m, stale=true")
        #expect(try answer(digest, proxy, logins: logins).step == .repeated)
        #expect(try answer(stale, proxy, isFirst: false, logins: logins).step == .repeated)
        #expect(throws: ProxyError.self) { try answer(digest, proxy, isFirst: false, logins: logins) }
        // Another proxy's credential is not for this one.
        #expect(throws: ProxyError.self) { try answer(digest, logins: logins) }
    }

    @Test(
        arguments: [
            ("Digest realm=\"a\u{2}\", nonce=n, qop=auth", "u", nil),
            ("Digest realm=\"a\u{2}\", nonce=n, qop=auth, Basic realm=a", "u", "Basic dTpw"),
            ("Basic realm=a", "u:v", nil), ("Digest realm=a, nonce=n, qop=auth, Basic realm=a", "u:v", "Digest "),
        ] as [(String, String, String?)])
    func `a challenge without an answer is none`(challenge: String, user: String, expected: String?) throws {
        var proxy = Proxy(.http, host: "p.test")
        proxy.credential = PasswordCredential(user: user, password: "p")
        let logins = ProxyLogins()
        let text = "HTTP/1.1 407 X\r\nProxy-Authenticate: \(challenge)\r\nContent-Length: 0\r\n\r\n"
        guard let expected else {
            let error = #expect(throws: ProxyError.self) { try answer(text, proxy, logins: logins) }
            #expect(error?.rule == "status 407")
            return
        }
        #expect(try answer(text, proxy, logins: logins).step == .repeated)
        let field = logins.authorization(for: proxy, method: "CONNECT", target: "a.test:443")
        #expect(field?.value.hasPrefix(expected) == true)
    }
}
