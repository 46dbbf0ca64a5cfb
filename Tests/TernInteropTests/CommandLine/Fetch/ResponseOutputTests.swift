// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestPrograms
import Testing

/// What is written of a response: its heads, and the values of `-w`.
@Suite(.serialized) struct ResponseOutputTests {
    @Test(
        "-i and -D show the heads of responses that are asked again, as curl does",
        arguments: ["--digest -u a:b", "--anyauth -u a:b"])
    func challenged(options: String) async throws {
        let origin = try ScriptedOrigin { _, request in
            if request.value(of: "Authorization") != nil { return [.ok("fine")] }
            let challenge = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""
            return [.respond(status: 401, reason: "No", fields: [("WWW-Authenticate", challenge)], body: "no")]
        }
        for output in ["-i", "-D-", "-D- -o /dev/null"] {
            let words = (options + " -s " + output).split(separator: " ").map(String.init) + [origin.url("/")]
            let curl = try await Command.run(["curl"] + words)
            let tern = try await TernTool.run(words + ["-w", "%{stderr}%{size_header}"])
            #expect(tern.output == curl.bytes, "\(tern.errors)")
            #expect(tern.text.hasPrefix("HTTP/1.1 401 No\r\n"))
            let heads = tern.text.replacing("fine", with: "")
            #expect(tern.errors == "\(heads.utf8.count)")
        }
    }

    @Test func `-i shows the head of a 417`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.value(of: "Expect") != nil ? [.respond(status: 417, reason: "No", body: "no")] : [.ok("fine")]
        }
        let folder = try TemporaryFolder()
        let file = try folder.write(Data(count: 2_000_000), to: "file")
        let result = try await TernTool.run("-si", "-T", file, origin.url("/"))
        let lines = result.text.split(separator: "\r\n").filter { $0.hasPrefix("HTTP/") }
        #expect(lines == ["HTTP/1.1 100 Continue", "HTTP/1.1 417 No", "HTTP/1.1 200 "])
    }

    @Test func `-i and -D show the heads of answers that are retried, and the last body only`() async throws {
        for output in ["-i", "-D-"] {
            let count = AttemptCount()
            let origin = try ScriptedOrigin { _, _ in
                count.next() == 1 ? [.respond(status: 503, reason: "Busy", body: "no")] : [.ok("fine")]
            }
            let line = ["-s", "--retry", "1", "--retry-delay", "0.01", output, "-w", "%{num_retries}", origin.url("/")]
            let text = try await TernTool.run(line).text
            #expect(
                text.split(separator: "\r\n").filter { $0.hasPrefix("HTTP/") } == [
                    "HTTP/1.1 503 Busy", "HTTP/1.1 200 ",
                ])
            #expect(text.hasSuffix("\r\n\r\nfine1") && !text.contains("no"))
        }
    }

    @Test func `-i shows the head of the redirect that was one too many`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 302, reason: "F", fields: [("Location", "/b")])] }
        let folder = try TemporaryFolder()
        let file = folder.url.path + "/heads"
        _ = try await TernTool.run("-sL", "--max-redirs", "0", "-D", file, origin.url("/a"))
        #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("HTTP/1.1 302 F\r\n"))
    }

    @Test(
        "trailers stand where heads stand, as with curl",
        arguments: [
            "-i URL", "-D - URL", "-D file URL", "-i -D file URL", "-i -o file URL", "-i -D - URL", "-I -X GET URL",
        ])
    func trailers(arguments: String) async throws {
        let origin = try ScriptedOrigin { _, _ in
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            return [.send(Array((head + "3\r\nabc\r\n0\r\nX-One: 1\r\nX-Two: 2\r\n\r\n").utf8))]
        }
        var outcomes: [[String]] = []
        for program in ["curl", try TernTool.executable.path] {
            let folder = try TemporaryFolder()
            let line = "cd \(folder.url.path) && \(program) -sS \(arguments.replacing("URL", with: origin.url("/")))"
            let result = try await Command.run(["sh", "-c", line], environment: TernTool.environment)
            let file = try? String(contentsOf: folder.url.appending(path: "file"), encoding: .utf8)
            outcomes.append([result.output, file ?? "", "\(result.status)"])
        }
        #expect(outcomes[0] == outcomes[1])
    }

    @Test func `what -z does not want is a 304 to -w, as with curl`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(fields: [("Last-Modified", "Sat, 01 Jan 2000 00:00:00 GMT")], body: "old")]
        }
        for program in ["curl", try TernTool.executable.path] {
            let result = try await Command.run(
                [program, "-sS", "-z", "1 Jan 2020", "-w", "%{http_code}", origin.url("/")],
                environment: TernTool.environment)
            #expect(result.output == "304", "\(program): \(result.errors)")
        }
    }

    @Test func `standard input has the length that Content-Length says`() async throws {
        let origin = try EchoOrigin.start()
        for (input, length, status) in [("abc", 3, 0), ("ab", 3, 26), ("abcd", 3, 26)] {
            let line = "printf \(input) | \(try TernTool.executable.path) -s -T - -H 'Content-Length: \(length)' "
            let result = try await Command.run(
                ["sh", "-c", line + origin.url("/x")], environment: TernTool.environment)
            #expect((result.status == 0) == (status == 0), "\(input): \(result.errors)")
        }
        let request = try #require(origin.requests.first)
        #expect(request.value(of: "Content-Length") == "3" && request.value(of: "Transfer-Encoding") == nil)
        #expect(request.body == Array("abc".utf8))
    }

    @Test func `an unknown variable is told, and nothing else changes`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("fine")] }
        let result = try await TernTool.run("-s", "-w", "[%{nope}|%{http_code}]", origin.url("/"))
        #expect(result.status == 0)
        #expect(result.text == "fine[|200]")
        #expect(result.errors == "tern: unknown --write-out variable: 'nope'\n")
    }

    @Test func `variables about TLS are those of the verified chain, or of the refusal`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.ok("")] }
        let folder = try TemporaryFolder()
        let anchors = try folder.write(authority.certificatePEM, to: "ca.pem")
        let format = "%{ssl_verify_result} %{num_certs} %{certs}"
        let trusted = try await TernTool.run("-s", "--cacert", anchors, "-w", format, origin.url("/")).text
        #expect(trusted.hasPrefix("0 2 Subject:"), "\(trusted)")
        #expect(trusted.split(separator: "\n").count { $0 == "-----BEGIN CERTIFICATE-----" } == 2)
        let refused = try await TernTool.run("-s", "-w", format, origin.url("/"))
        #expect(refused.status == 60)
        #expect(Int(refused.text.prefix { $0 != " " }) ?? 0 > 0, "\(refused.text)")
        #expect(try await TernTool.run("-sk", "-w", format, origin.url("/")).text.hasPrefix("0 "))
    }

    @Test func `parts of URLs are those of the URL, and of the last one`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target.hasPrefix("/a") ? [.respond(status: 302, fields: [("Location", "/b?r")])] : [.ok("")]
        }
        let parts = ["scheme", "user", "host", "path", "query", "fragment"]
        let format = ["url", "urle"].map { url in parts.map { "%{\(url).\($0)}" }.joined(separator: "|") }
        let result = try await TernTool.run("-sL", "-w", format.joined(separator: "\\n"), origin.url("/a?q#f"))
        #expect(result.text == "http||127.0.0.1|/a|q|f\nhttp||127.0.0.1|/b|r|f")
        let ports = try await TernTool.run("-s", "-w", "%{url.port} %{remote_port}", origin.url("/b")).text
        let words = ports.split(separator: " ")
        #expect(words.count == 2 && words.first == words.last)
    }

    @Test func `the fields are one JSON object`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(fields: [("X", "a\"b"), ("x", "c"), ("Y", "d\u{9b}")], body: "")]
        }
        let text = try await TernTool.run("-s", "-w", "%{header_json}", origin.url("/")).text
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [String]]
        #expect(object?["x"] == ["a\"b", "c"] && object?["y"] == ["d\u{9b}"])
        #expect(!text.unicodeScalars.contains("\u{9b}"))
    }

    @Test func `on a terminal a value of a field does not steer it`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [
                .send(
                    Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: a\u{9b}2J".utf8) + [0x9B] + Array("\r\n\r\n".utf8)
                )
            ]
        }
        let line = "\(try TernTool.executable.path) -s -w '%header{x}' \(origin.url("/"))"
        let shown = try await Command.run(["script", "-qec", line, "/dev/null"], environment: TernTool.environment)
        #expect(shown.output == #"a\u009b2J\x9B"#)
    }
}
