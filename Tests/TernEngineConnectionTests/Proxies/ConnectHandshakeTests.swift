// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

@testable import TernEngine

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
        let request = DigestScheme.Request(method: "CONNECT", target: "a.test:443")
        let field = logins.login(to: proxy)?.field("Proxy-Authorization", for: request)
        #expect(field?.value.hasPrefix(expected) == true)
    }
}
