// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct ProxyTests {
    @Test(
        arguments: [
            ("proxy.example", "http://proxy.example:1080", nil), ("http://p:8080/path?x#y", "http://p:8080", nil),
            ("HTTPS://p", "https://p:443", nil), ("http:/p:81", "http://p:81", nil),
            ("socks://p", "socks4://p:1080", nil),
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
            (["http_proxy": "p:1", "no_proxy": "127.0.0.1"], "http://0x7f.1/", nil),
            (["http_proxy": "p:1", "no_proxy": "a.test:80"], "http://A.test./", nil),
            (["http_proxy": "p:1"], "ftp://a.test/", nil),
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
