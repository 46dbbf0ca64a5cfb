// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing
import TestPrograms

/// `tern get` against nginx, as its users call it.
@Suite struct GetCommandTests {
    @Test func `writes the body to standard output and exits 0`() async throws {
        let server = try await NginxServer()
        let result = try await TernTool.run("get", server.url())
        #expect(result.text == "ok")
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
    }

    @Test func `a right pin is accepted; a wrong one is named, exits 90, and no request reaches the server`()
        async throws
    {
        let server = try await NginxServer()
        let folder = try TemporaryFolder()
        let anchors = try folder.write(server.authority.certificatePEM, to: "ca.pem")
        let wrong = try CertificateAuthority().pin

        let accepted = try await TernTool.run(
            "get", server.secureURL("/ok?right"), "--cacert", anchors, "--pin", server.identity.pin)
        #expect(accepted.status == 0)
        #expect(accepted.text == "ok")

        let refused = try await TernTool.run("get", server.secureURL("/ok?wrong"), "--cacert", anchors, "--pin", wrong)
        #expect(refused.status == 90)
        #expect(refused.errors.contains("none of the pinned keys is in the chain"))
        #expect(refused.text.isEmpty)

        // If the refused request had been sent, it would be in the log before this one.
        _ = try await TernTool.run("get", server.url("/ok?last"))
        #expect(await server.accessLog.waitFor { $0.contains { $0.contains("/ok?last") } })
        #expect(server.accessLog.lines.contains { $0.contains("/ok?right") })
        #expect(!server.accessLog.lines.contains { $0.contains("/ok?wrong") })
    }

    @Test func `a backup pin that matches nothing does no harm`() async throws {
        let server = try await NginxServer()
        let folder = try TemporaryFolder()
        let anchors = try folder.write(server.authority.certificatePEM, to: "ca.pem")
        let result = try await TernTool.run(
            "get", server.secureURL(), "--cacert", anchors, "--pin", try CertificateAuthority().pin, "--pin",
            server.authority.pin)
        #expect(result.status == 0)
    }

    @Test func `pins count even where -k skips chain and host`() async throws {
        let server = try await NginxServer()
        let url = server.secureURL()
        #expect(try await TernTool.run("get", "-k", url).status == 0)
        #expect(try await TernTool.run("get", "-k", url, "--pin", server.identity.pin).status == 0)
        #expect(try await TernTool.run("get", "-k", url, "--pin", try CertificateAuthority().pin).status == 90)
    }

    @Test func `a certificate of an unknown authority is refused`() async throws {
        let server = try await NginxServer()
        let result = try await TernTool.run("get", "--report-json", server.secureURL())
        let error = try #require(try result.object()["error"] as? [String: String])
        #expect(result.status == 60)
        #expect(error["kind"] == "trust")
        #expect(error["phase"] == "tls")
        #expect(error["reason"] == "missing-issuer" || error["reason"] == "untrusted-root")
    }

    @Test func `-o writes a file`() async throws {
        let body = Pattern.bytes(3_000_000)
        let server = try await NginxServer(files: ["big": body])
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "out").path
        let result = try await TernTool.run("get", server.url("/big"), "-o", file)
        #expect(result.status == 0)
        #expect(FileManager.default.contents(atPath: file) == body)
    }

    @Test func `-H adds fields and -v shows the exchange without the secrets`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok("fine")] }
        let result = try await TernTool.run(
            "get", origin.url("/"), "-H", "X-Test: one", "-H", "Authorization: Bearer secret", "-v")
        let request = try #require(origin.requests.first)
        #expect(String(decoding: request.head, as: UTF8.self).contains("X-Test: one\r\n"))
        #expect(String(decoding: request.head, as: UTF8.self).contains("Authorization: Bearer secret\r\n"))
        #expect(result.errors.contains("< HTTP/1.1 200"))
        #expect(!result.errors.contains("Bearer secret"))
    }

    @Test(arguments: [["-v"], ["--report-json"], ["-v", "--max-redirs", "0"], ["-v", "-f"]])
    func `no report shows the name and the password of a URL in a field`(options: [String]) async throws {
        let fields = ["Content-Location", "Refresh", "Link"].map { ($0, "0; url=http://eve:s3same@h/?key=s3same") }
        let origin = try ScriptedOrigin { _, request in
            let place = "http://eve:s3same@127.0.0.1:\(request.value(of: "X-Port") ?? "")/b?key=s3same"
            return request.target.hasPrefix("/b")
                ? [.respond(status: 404, fields: fields)]
                : [.respond(status: 302, reason: "Found", fields: [("Location", place)] + fields)]
        }
        let result = try await TernTool.run(
            ["get", "-L", "--sensitive", "key", "-H", "X-Port: \(origin.port)", "-H", "Referer: http://eve:s3same@h/"]
                + options + [origin.url("/a?key=s3same")])
        #expect(!result.errors.contains("s3same"), "\(result.errors)")
        #expect(!result.errors.contains("eve") && !result.text.contains("eve"), "\(result.text)")
        #expect(origin.requests.last?.value(of: "Referer")?.contains("eve:s3same@") == true)
    }

    @Test func `-v shows no value of a field that is said to be sensitive`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(fields: [("X-Api-Key", "c2VjcmV0")])] }
        let result = try await TernTool.run(
            "get", origin.url("/"), "-H", "x-api-key: c2VjcmV0", "--sensitive", "X-API-Key", "-v")
        #expect(String(decoding: try #require(origin.requests.first).head, as: UTF8.self).contains("c2VjcmV0"))
        #expect(result.errors.contains("> x-api-key: …"))
        #expect(result.errors.contains("< X-Api-Key: …"))
        #expect(!result.errors.contains("c2VjcmV0"))
    }

    @Test(
        "each failure is one JSON object that names phase and kind, and has curl's exit code",
        arguments: [
            ("http://nope.invalid/", "unresolved", "resolve")
        ])
    func failure(url: String, kind: String, phase: String) async throws {
        let result = try await TernTool.run("get", "--report-json", url)
        let error = try #require(try result.object()["error"] as? [String: String])
        #expect(result.status == 6)
        #expect(error["kind"] == kind)
        #expect(error["phase"] == phase)
        #expect(error["message"]?.isEmpty == false)
    }

    @Test func `a refused port is unreachable`() async throws {
        let port = try LoopbackPort.free().number
        let result = try await TernTool.run("get", "--report-json", "http://127.0.0.1:\(port)/")
        let error = try #require(try result.object()["error"] as? [String: String])
        #expect(error["kind"] == "unreachable")
        #expect(error["phase"] == "connect")
        #expect(result.status == 7)
    }

    @Test func `what is not HTTP, and what ends in the middle, never looks like success`() async throws {
        let notHTTP = try ScriptedOrigin { _, _ in [.send("SSH-2.0-OpenSSH_9.2\r\n"), .close] }
        let garbled = try await TernTool.run("get", "--report-json", notHTTP.url("/"))
        #expect((try garbled.object()["error"] as? [String: String])?["kind"] == "malformed-response")
        #expect(garbled.status == 1)

        let halfHead = try ScriptedOrigin { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-Le"), .close] }
        let cut = try await TernTool.run("get", "--report-json", halfHead.url("/"))
        #expect((try cut.object()["error"] as? [String: String])?["kind"] == "connection-lost")
        #expect(cut.status == 52)
    }

    @Test func `--max-time ends an idle exchange`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let result = try await TernTool.run("get", "--report-json", "--max-time", "0.3", origin.url("/"))
        let error = try #require(try result.object()["error"] as? [String: String])
        #expect(error["kind"] == "timed-out")
        #expect(error["reason"] == "total")
        #expect(result.status == 28)
    }

    @Test(
        "wrong usage exits 2 and says what is wrong",
        arguments: [
            ["get"], ["get", "--pin", "sha256/short", "http://localhost/"],
            ["get", "-H", "no colon", "http://localhost/"],
            ["get", "--max-time", "-1", "http://localhost/"],
            ["bench", "http://localhost/", "-c", "0"], ["bench"],
            ["get", "--report-json", "-o", "x", "http://localhost/"],
            ["get", "-H", ": x", "http://localhost/"], ["get", "-H", "Host:", "http://localhost/"],
            ["get", "-H", "A\u{7}: x", "http://localhost/"], ["get", "-H", "Content-Length: 5", "http://localhost/"],
            ["get", "--pin", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "http://localhost/"],
            ["trust", "pins", "--anchors", "/nowhere", "/etc/passwd"],
            ["trust", "pins", "-4", "/etc/passwd"],
            ["trust", "evaluate", "--chain", "/etc/passwd", "-x", "proxy.test"],
            ["trust", "evaluate", "--batch", "-", "--interface", "lo"],
        ])
    func usage(arguments: [String]) async throws {
        let result = try await TernTool.run(arguments)
        #expect(result.status == 2)
        #expect(
            result.errors.hasPrefix("tern: (2) ") && result.errors.split(separator: "\n").count == 1, "\(result.errors)"
        )
        #expect(result.text.isEmpty)
    }

    @Test(
        "wrong usage is one line, which leads to the help of its command where it has no advice",
        arguments: [
            ([], "no URL is given: give one, such as http://localhost:8080/"),
            (["download"], "no URL is given: give one, such as http://localhost:8080/"),
            (["-m", "x", "http://x/"], "-m: \"x\" is no number from 0 on"),
            (["bench", "--nope", "http://x/"], "unknown option '--nope'; see \"tern bench --help\""),
            (["trust", "evaluate", "--nope"], "unknown option '--nope'; see \"tern trust evaluate --help\""),
            (["get", "-u"], "missing value for '-u'; see \"tern get --help\""),
            (["demo", "x"], "unexpected argument 'x'; see \"tern demo --help\""),
        ])
    func oneLine(arguments: [String], message: String) async throws {
        let result = try await TernTool.run(arguments.isEmpty ? ["-s"] : arguments)
        #expect(result.status == 2)
        #expect(result.errors == "tern: (2) \(message)\n")
    }

    @Test func `tern URL is short for tern get URL, tern alone shows what there is, and tern knows its version`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.ok("fine")] }
        #expect(try await TernTool.run("-v", origin.url("/")).text == "fine")
        let alone = try await TernTool.run()
        #expect(alone.status == 2 && alone.output.isEmpty)
        #expect(alone.errors.contains("SUBCOMMANDS"))
        for option in ["--version", "-V"] {
            let text = try await TernTool.run(option).text
            #expect(text.hasPrefix("tern ") && text.contains("\nOpenSSL 3"), "\(text)")
            #expect(text.contains("libpsl") && text.contains("libidn2"), "\(text)")
        }
    }

    @Test func `-v shows the request that was sent, when it is sent, before the body`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(fields: [("Set-Cookie", "id=secret")], body: "fine")] }
        let result = try await Command.run(
            ["sh", "-c", #""$0" -v "$1" -H 'X-Test: one' -H 'Cookie: a=secret' 2>&1"#, try TernTool.executable.path]
                + [origin.url("/path?query=1#not-sent")], environment: TernTool.environment)
        let head = String(decoding: try #require(origin.requests.first).head, as: UTF8.self)
        let shown = result.output.split(separator: "\n").filter { $0.hasPrefix("> ") }.map { $0.dropFirst(2) }
        let sent = head.split(separator: "\r\n").map { $0 == "Cookie: a=secret" ? "Cookie: \u{2026}" : $0 }
        #expect(shown == sent)
        #expect(sent.first == "GET /path?query=1 HTTP/1.1")
        #expect(!result.output.contains("secret"))
        #expect(result.output.hasSuffix("<\nfine"))

        let silent = try ScriptedOrigin { _, _ in [.hold] }
        let unanswered = try await TernTool.run("get", "-v", "--max-time", "0.3", silent.url("/"))
        #expect(unanswered.errors.contains("> GET / HTTP/1.1"))
        #expect(!unanswered.errors.contains("<"))
    }

    @Test func `-H Name: takes a field away, -H Name; sends it empty`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("fine")] }
        let result = try await TernTool.run("get", origin.url("/"), "-H", "Accept:", "-H", "X-Empty;", "-H", "X-None: ")
        #expect(result.status == 0)
        let head = String(decoding: try #require(origin.requests.first).head, as: UTF8.self)
        #expect(!head.contains("Accept"))
        #expect(!head.contains("X-None"))
        #expect(head.contains("X-Empty: \r\n"))
        #expect(head.contains("User-Agent: "))
    }

    @Test func `--report-json contains a body of up to 64 MB, and reports a larger one`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 67108865\r\n\r\n"),
                .repeat([UInt8](repeating: 0x61, count: 65536), count: 1024), .send("b"),
            ]
        }
        let result = try await TernTool.run("get", "--report-json", origin.url("/"))
        let object = try result.object()
        #expect(result.status == 63)
        #expect((object["error"] as? [String: String])?["kind"] == "body-too-large")
        #expect((object["error"] as? [String: String])?["message"]?.contains("67108864") == true)
        #expect(object["body_base64"] as? String == "")
    }
}
