// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestPrograms
import Testing

/// The options about proxies, and the environment, beside curl: what the proxy gets, and the exit status.
@Suite struct ProxyOptionsTests {
    /// What one program does: its exit status, and what the proxy got.
    private struct Outcome: Equatable {
        var status: Int32
        var requests: [String]
    }

    private static let digest = (
        name: "Proxy-Authenticate", value: "Digest realm=\"p\", nonce=\"n\", qop=\"auth\", algorithm=MD5"
    )

    /// Refuses tunnels, and requests a password for `/secret`.
    private static func proxy() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            if request.method == "CONNECT" { return [.respond(status: 403, body: "no")] }
            if request.target.hasSuffix("/secret"), request.value(of: "Proxy-Authorization") == nil {
                return [.respond(status: 407, fields: [digest])]
            }
            return [.ok("through")]
        }
    }

    private func outcome(_ variables: String, _ program: [String], _ options: String) async throws -> Outcome {
        let proxy = try Self.proxy()
        let words = { (text: String) in
            text.replacing("PORT", with: "\(proxy.port)").split(separator: " ").map { $0 == "''" ? "" : String($0) }
        }
        let result = try await Command.run(
            ["env"] + words(variables) + program + ["-s", "-o", "/dev/null", "--max-time", "10"] + words(options))
        let requests = proxy.requests.map { request in
            let authorization = request.value(of: "Proxy-Authorization") ?? "-"
            // A Digest answer differs each time.
            let shown = authorization.hasPrefix("Digest ") ? "Digest" : authorization
            let host = request.value(of: "Host") ?? "-"
            let line = "\(request.method) \(request.target) \(host) \(shown) \(request.value(of: "X-Own") ?? "-")"
            return line.replacing("\(proxy.port)", with: "PORT")
        }
        return Outcome(status: result.status, requests: requests)
    }

    @Test(arguments: [
        "-i http://a.test/", "-i --suppress-connect-headers http://a.test/", "-D - -o /dev/null http://a.test/",
        "-i -U u:p --proxy-digest http://login.test/", "-i -U u:p --proxy-digest http://a.test/ http://a.test/two",
        "-i -I http://a.test/", "-i http://refused.test/", "-D - http://refused.test/",
        "-i --suppress-connect-headers http://refused.test/",
        "-o /dev/null -w %{http_connect},%{size_header}, http://a.test/ http://login.test/",
    ])
    func `the heads of answers to CONNECT are shown as by curl`(options: String) async throws {
        let proxy = try ScriptedOrigin { _, request in
            switch request.method {
            case "CONNECT" where request.target == "refused.test:80":
                [.respond(status: 403, fields: [("X-Proxy", "no")], body: "no")]
            case "CONNECT" where request.target == "login.test:80" && request.value(of: "Proxy-Authorization") == nil:
                [.respond(status: 407, fields: [Self.digest, ("X-Proxy", "who")], body: "who")]
            case "CONNECT": [.send("HTTP/1.1 200 Established\r\nX-Proxy: yes\r\n\r\n")]
            default: [.respond(fields: [("X", "y")], body: request.method == "HEAD" ? "" : "through")]
            }
        }
        let arguments =
            ["-s", "-p", "-x", proxy.url(""), "--max-time", "10"] + options.split(separator: " ").map(String.init)
        let expected = try await Command.run(["curl"] + arguments)
        let result = try await TernTool.run(arguments)
        #expect(result.text == expected.output)
        #expect(result.status == expected.status)
    }

    @Test(
        arguments: [
            ("", "-x http://127.0.0.1:PORT http://a.test/x?y"),
            ("", "-x 127.0.0.1:PORT http://a.test:81/ http://b.test/"),
            ("", "-x 127.0.0.1:PORT -U user:pa:ss http://a.test/"),
            ("", "-x 127.0.0.1:PORT -U us%40er%:p%25a%zs http://a.test/"),
            ("", "-x http://us%40er%:p%25a%zs@127.0.0.1:PORT http://a.test/"),
            ("", "-x http://u:p%40@127.0.0.1:PORT http://a.test/"),
            ("", "-x http://u:p@127.0.0.1:PORT -U other:word http://a.test/"),
            ("", "-x 127.0.0.1:PORT -U u:p --proxy-digest http://a.test/secret"),
            ("", "-x 127.0.0.1:PORT -U u:p --proxy-anyauth http://a.test/secret"),
            ("", "-x 127.0.0.1:PORT -p http://a.test/"), ("", "-x 127.0.0.1:PORT https://a.test/"),
            ("", "-x 127.0.0.1:PORT -U u:p --proxy-header X-Own:1 https://[::1]:444/"),
            ("", "-x 127.0.0.1:PORT --noproxy a.test http://b.test/"),
            ("", "-x 127.0.0.1:PORT --noproxy b.test,127.0.0.1 http://127.0.0.1:PORT/direct"),
            ("http_proxy=127.0.0.1:PORT", "http://a.test/"), ("HTTP_PROXY=127.0.0.1:1", "http://127.0.0.1:PORT/"),
            ("all_proxy=http://127.0.0.1:PORT", "http://a.test/"),
            ("http_proxy=127.0.0.1:1 no_proxy=127.0.0.0/8", "http://127.0.0.1:PORT/"),
            ("http_proxy=127.0.0.1:1 no_proxy= NO_PROXY=127.0.0.1", "http://127.0.0.1:PORT/"),
            ("no_proxy= NO_PROXY=127.0.0.1", "-x 127.0.0.1:1 http://127.0.0.1:PORT/"),
            ("no_proxy=a.test NO_PROXY=127.0.0.1", "-x 127.0.0.1:PORT http://127.0.0.1:1/"),
            ("http_proxy=127.0.0.1:1", "--noproxy * http://127.0.0.1:PORT/"),
            ("http_proxy=127.0.0.1:1", "-x '' http://127.0.0.1:PORT/"),
            ("https_proxy=127.0.0.1:PORT", "https://a.test/"), ("http_proxy=quic://x", "http://a.test/"),
            ("https_proxy=quic://x", "http://127.0.0.1:PORT/"), ("http_proxy=http://", "http://a.test/"),
            ("http_proxy=quic://x no_proxy=127.0.0.1", "http://127.0.0.1:PORT/"),
            ("http_proxy=quic://x", "--noproxy * http://127.0.0.1:PORT/"),
            ("all_proxy=bad_url: http_proxy=127.0.0.1:PORT", "http://a.test/"),
            ("", "-x nowhere.invalid:1 http://a.test/"),
            ("", "-x 127.0.0.1:PORT --connect-to a.test:80:b.test:81 http://a.test/"),
            ("", "-x 127.0.0.1:PORT --connect-to a.test:443:b.test: https://a.test/"),
            ("", "-x 127.0.0.1:PORT --resolve a.test:80:192.0.2.1 http://a.test/"),
            ("", "-x 127.0.0.1:PORT --resolve a.test:80:192.0.2.1 --connect-to ::b.test: http://a.test/"),
        ])
    func `the proxy gets what it gets from curl`(variables: String, options: String) async throws {
        let expected = try await outcome(variables, ["curl"], options)
        let ours = try await outcome(variables, [TernTool.executable.path, "get"], options)
        #expect(ours == expected)
    }

    @Test(
        arguments: [
            ("-x 127.0.0.1:PORT http://a.test/", "000 1"), ("-x 127.0.0.1:PORT -p http://a.test/", "403 1"),
            ("--noproxy * -x 127.0.0.1:PORT http://127.0.0.1:PORT/", "000 0"),
            ("-x 127.0.0.1:TUNNEL -p http://a.test:PORT/", "200 1"),
            ("-x 127.0.0.1:TUNNEL -p http://a.test:PORT/ http://a.test:PORT/2", "200 1000 1"),
            ("--socks5-hostname 127.0.0.1:TUNNEL http://a.test:PORT/", "000 1"),
        ])
    func `-w says whether there was a proxy, and what it answered to CONNECT`(options: String, text: String)
        async throws
    {
        let (proxy, tunnel) = (try Self.proxy(), try ScriptedProxy())
        let words = options.replacing("PORT", with: "\(proxy.port)").replacing("TUNNEL", with: "\(tunnel.port)")
            .split(separator: " ").map(String.init)
        let outputs = words.filter { $0.hasPrefix("http:") }.flatMap { _ in ["-o", "/dev/null"] }
        let written = ["-s"] + outputs + ["-w"]
        let result = try await TernTool.run(["get"] + written + ["%{http_connect} %{proxy_used}"] + words)
        #expect(result.text == text)
        // proxy_used is of a later curl than those that tests may meet.
        let curl = try await Command.run(["curl"] + written + ["%{http_connect}"] + words)
        let first = text.replacing(" 1", with: "").replacing(" 0", with: "")
        #expect(curl.output == first && curl.status == result.status)
    }

    @Test(
        arguments: [
            ("", "-x http://u:secret@127.0.0.1:1 http://a.test/", 7, "127.0.0.1:1, from -x"),
            ("http_proxy=u:secret@127.0.0.1:1", "http://a.test/", 7, "the proxy 127.0.0.1:1, from http_proxy"),
            ("ALL_PROXY=u:secret@nowhere.invalid:1", "http://a.test/", 5, "nowhere.invalid:1, from ALL_PROXY"),
            ("", "--socks5 u:secret@127.0.0.1:1 http://127.0.0.2/", 7, "the SOCKS proxy 127.0.0.1:1, from --socks5"),
            ("", "--socks5 u:secret@127.0.0.1:1 http://a.invalid/", 97, "the SOCKS proxy 127.0.0.1:1, from --socks5"),
            ("", "-x u:secret@127.0.0.1:PORT https://a.test/", 56, "the proxy 127.0.0.1:PORT, from -x"),
            (
                "", "-x https://u:secret@127.0.0.1:SECURE http://a.test/", 60,
                "the HTTPS proxy 127.0.0.1:SECURE, from -x"
            ),
            ("", "-x socks5h://u:secret@127.0.0.1:TUNNEL http://a.test:1/", 97, "127.0.0.1:TUNNEL, from -x"),
            ("", "-x 127.0.0.1:PORT -U u%3A:secret http://a.test/", 2, "127.0.0.1:PORT, from -x"),
            ("http_proxy=quic://u:secret@p", "http://a.test/", 7, "http_proxy: no proxy has the scheme quic"),
        ])
    func `a failure behind a proxy names it and where it comes from, without its password`(
        variables: String, options: String, status: Int32, text: String
    ) async throws {
        let (proxy, tunnel) = (try Self.proxy(), try ScriptedProxy(credential: ("u", "secret")))
        let secure = try ScriptedProxy(tls: CertificateAuthority().issue())
        let filled = { (text: String) in
            text.replacing("PORT", with: "\(proxy.port)").replacing("TUNNEL", with: "\(tunnel.port)")
                .replacing("SECURE", with: "\(secure.port)")
        }
        let words = { (text: String) in filled(text).split(separator: " ").map(String.init) }
        let result = try await Command.run(
            ["env"] + words(variables) + [TernTool.executable.path, "get", "-sS"] + words(options))
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errors.contains(filled(text)), "\(result.errors)")
        #expect(!result.errors.contains("secret"), "\(result.errors)")
    }

    @Test func `-v names the proxies, and no password`() async throws {
        let proxy = try Self.proxy()
        let result = try await TernTool.run(["get", "-v", "-x", "u:secret@127.0.0.1:\(proxy.port)", "http://a.test/"])
        #expect(result.status == 0)
        #expect(result.errors.contains("* through the proxy http://127.0.0.1:\(proxy.port)\n"))
        #expect(!result.errors.contains("secret"))
    }

    @Test(arguments: [
        ("-x quic://p http://a.test/", "-x: no proxy has the scheme quic"),
        ("-x http://u:secret@p:x http://a.test/", "-x: no host and port of a proxy: p:x"),
        ("-x p --preproxy http://q http://a.test/", "--preproxy: give a SOCKS proxy"),
        ("-x p --proxy-header x http://a.test/", "--proxy-header \"x\": a header field needs a colon"),
        (
            "-x p --proxy-header x:\u{1}y http://a.test/",
            "--proxy-header: the proxy cannot be given the fields of CONNECT"
        ),
        ("-x http://u:secret/@p http://a.test/", "-x: no host and port of a proxy: p"),
    ])
    func `what names no proxy is wrong usage`(options: String, message: String) async throws {
        let result = try await TernTool.run(["get"] + options.split(separator: " ").map(String.init))
        #expect(result.status == 2)
        #expect(result.errors.contains(message) && !result.errors.contains("secret"), "\(result.errors)")
    }
}
