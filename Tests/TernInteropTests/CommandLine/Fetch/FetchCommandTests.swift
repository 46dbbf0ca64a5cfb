// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestPrograms
import Testing

/// What all commands that send requests have in common, as their users call them.
@Suite(.serialized) struct FetchCommandTests {
    @Test(
        "each command sends its method, and the short form what its options say",
        arguments: [
            ("get URL/", "GET"), ("head URL/", "HEAD"), ("post URL/", "POST"), ("put -d x URL/", "PUT"),
            ("patch -d x URL/", "PATCH"), ("delete URL/", "DELETE"), ("request URL/", "GET"),
            ("request -X FOO URL/", "FOO"),
            ("request -d x URL/", "POST"), ("request -T /dev/null URL/", "PUT"), ("request -I URL/", "HEAD"),
            ("URL/", "GET"), ("-d x URL/", "POST"), ("-XDELETE URL/", "DELETE"), ("-T /dev/null URL/", "PUT"),
            ("-I URL/", "HEAD"), ("-G -d x URL/", "GET"), ("post -T /dev/null URL/", "POST"),
            ("-F a=b URL/", "POST"), ("put -F a=b URL/", "PUT"),
            ("post --form-string a=b URL/", "POST"),
        ])
    func method(arguments: String, method: String) async throws {
        let origin = try EchoOrigin.start()
        let result = try await TernTool.run(words(arguments, origin))
        #expect(result.status == 0, "\(result.errors)")
        #expect(origin.requests.map(\.method) == [method])
    }

    @Test(
        "options that contradict each other, or would be ignored, are refused before anything is sent",
        arguments: [
            "get -d x URL/", "head -d x URL/", "get -T /dev/null URL/", "get -X POST URL/", "post -X PUT URL/",
            "post -I URL/", "request -I -d x URL/",
            "request -d x -T /dev/null URL/",
            "request -T /nowhere/x URL/", "request -T /etc URL/", "request -d @/nowhere/x URL/",
            "request -d @- -H @- URL/", "request -T - --retry 1 URL/", "get -H @/nowhere/x URL/",
            "get -u user URL/",
            "get -L --max-redirs -2 URL/",
            "get --retry -1 URL/",
            "get --retry 1 --retry-delay nan URL/",
            "get --max-filesize 1X URL/", "get -f --fail-with-body URL/", "get -O URL/", "get -O URL",
            "get -O URL/a/..",
            "get --report-json -i URL/", "get --report-json -w x URL/", "get --report-json -O URL/a",
            "get --report-json -D - URL/", "get -D /nowhere/x URL/", "get -o /nowhere/x URL/", "get --sensitive X URL/",
            "get --unix-socket '' URL/", "get --nonsense URL/",
            "get -F a=b URL/", "head -F a=b URL/", "request -F a=b -d c URL/", "request -F a=b -T /dev/null URL/",
            "request -G -F a=b URL/", "request -F a URL/", "request -F =b URL/", "request -F a=(b URL/",
            "request -F a=@/nowhere/x URL/", "request -F a=@/etc URL/", "request -F a=</nowhere/x URL/",
            "request -F a=@/nowhere/x,y URL/",
            "request -F a=b;c URL/", "request -F a=b;filename=c URL/", "request -F a=@/dev/null;headers=x URL/",
            "request -F a=@- -F b=@- URL/",
            "request --form-string a URL/", "upload /nowhere/x URL/",
            "upload /etc URL/",
            "upload /dev/null URL/ URL/", "upload /dev/null URL/ -d x", "upload . URL/", "upload - URL/ --retry 1",
            "upload /dev/null URL/ -u user",
            "post -d x -H Transfer-Encoding:chunked -H Content-Length:1 URL/",
            "get -H Transfer-Encoding:chunked URL/",
        ])
    func refused(arguments: String) async throws {
        let origin = try EchoOrigin.start()
        let result = try await TernTool.run(words(arguments, origin))
        #expect([2, 3, 23, 26].contains(result.status), "\(result.errors)")
        #expect(result.errors.hasPrefix("tern: (\(result.status)) "))
        #expect(result.text.isEmpty)
        #expect(origin.connectionCount == 0)
    }

    @Test(arguments: [
        ("--egress public", 7), ("--egress public --egress-allow 127.0.0.0/8", 0), ("--egress machine", 0),
        ("--egress none", 7), ("--egress-allow 127.0.0.1", 0), ("--egress-allow 10.0.0.0/8,::/0", 7),
        ("--egress-deny 127.0.0.0/8", 7), ("--egress-deny 10.0.0.0/8 --egress-deny ::/0", 0),
        ("--egress machine --egress-deny 127.0.0.1", 7), ("--egress private", 2), ("--egress-deny 10.0.0.0/33", 2),
        ("--egress-allow 10.1.2.3/8", 2), ("--egress-allow 127.0.0.1,", 2),
    ])
    func `--egress and its lists say where connections may lead`(options: String, status: Int32) async throws {
        let origin = try EchoOrigin.start()
        let words = ["get"] + options.split(separator: " ").map(String.init) + [origin.url("/")]
        let result = try await TernTool.run(words)
        #expect(result.status == status, "\(result.errors)")
        #expect(origin.connectionCount == (status == 0 ? 1 : 0))
        if status == 7 {
            #expect(result.errors.hasPrefix("tern: (7) the egress policy refuses 127.0.0.1:\(origin.port): "))
        }
    }

    @Test func `each URL has its output, and what has none goes to standard output`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok(request.target)] }
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "one").path
        let result = try await TernTool.run("get", "-o", file, origin.url("/1"), origin.url("/2"), origin.url("/3"))
        #expect(result.text == "/2/3")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "/1")
        #expect(origin.connectionCount == 1)
    }

    @Test func `-O names files as the URLs do, in the folder it is called in`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok(request.target)] }
        let folder = try TemporaryFolder()
        let result = try await Command.run(
            ["sh", "-c", #"cd "$1" && "$0" get -OO "$2" "$3""#, try TernTool.executable.path, folder.url.path]
                + [origin.url("/a/b%20c?q=/x"), origin.url("/d#/e")], environment: TernTool.environment)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try String(contentsOf: folder.url.appending(component: "b%20c"), encoding: .utf8) == "/a/b%20c?q=/x")
        #expect(try String(contentsOf: folder.url.appending(component: "d"), encoding: .utf8) == "/d")
    }

    @Test func `the last of several URLs decides the status, as in curl, and all are fetched`() async throws {
        let origin = try EchoOrigin.start()
        let result = try await TernTool.run(
            "get", "-f", origin.url("/status/404"), origin.url("/status/200"), "-w", "%{http_code} ")
        #expect(result.status == 0)
        #expect(result.text == "404 no200 ")
        let last = try await TernTool.run("get", "-sf", origin.url("/status/200"), origin.url("/status/404"))
        #expect(last.status == 22)
        #expect(result.errors == "tern: (22) the server answered 404 to \(origin.url("/status/404"))\n")
        let silent = try await TernTool.run("get", "-sf", origin.url("/status/404"))
        #expect(silent.status == 22)
        #expect(silent.errors.isEmpty)
    }

    @Test func `a status that is refused leaves the file as it was`() async throws {
        let origin = try EchoOrigin.start()
        let folder = try TemporaryFolder()
        let file = try folder.write("before", to: "file")
        #expect(try await TernTool.run("get", "-f", "-o", file, origin.url("/status/500")).status == 22)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "before")
        #expect(try await TernTool.run("get", "--fail-with-body", "-o", file, origin.url("/status/500")).status == 22)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "no")
    }

    @Test func `a body above --max-filesize is an error, announced or not`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/announced" ? [.ok("123456")] : [.chunked(["123", "456"])]
        }
        let folder = try TemporaryFolder()
        for path in ["/announced", "/unannounced"] {
            let file = try folder.write("before", to: "file")
            let result = try await TernTool.run("get", "--max-filesize", "5", "-o", file, origin.url(path))
            #expect(result.status == 63)
            #expect(result.errors == "tern: (63) the body exceeds the 5 bytes of --max-filesize\n")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "before")
            #expect(try await TernTool.run("get", "--max-filesize", "6", origin.url(path)).text == "123456")
            #expect(try await TernTool.run("get", "--max-filesize", "0", origin.url(path)).text == "123456")
        }
        let object = try await TernTool.run("get", "--report-json", "--max-filesize", "5", origin.url("/announced"))
            .object()
        #expect((object["error"] as? [String: String])?["kind"] == "body-too-large")
    }

    @Test func `-v shows each hop: what was asked, and what it led to`() async throws {
        let origin = try EchoOrigin.start()
        let result = try await TernTool.run("get", "-vL", "-u", "user:secret", origin.url("/redirect"))
        let lines = result.errors.split(separator: "\n").map(String.init)
        let order = ["> GET /redirect HTTP/1.1", "< HTTP/1.1 302 Found", "> GET /final HTTP/1.1", "< HTTP/1.1 200 "]
        #expect(lines.filter(order.contains) == order)
        #expect(lines.count { $0 == "> Authorization: \u{2026}" } == 2)
        #expect(!result.errors.contains("c2VjcmV0"))
    }

    @Test func `redirects are shown by --report-json, and bounded by --max-redirs`() async throws {
        let origin = try ScriptedOrigin { _, request in
            let number = Int(request.target.dropFirst()) ?? 0
            return number < 60
                ? [.respond(status: 302, fields: [("Location", "/\(number + 1)")])] : [.ok("\(number)")]
        }
        #expect(try await TernTool.run("get", "-L", "--max-redirs", "-1", origin.url("/0")).text == "60")
        let bounded = try await TernTool.run("get", "-L", origin.url("/0"))
        #expect(bounded.status == 47)
        #expect(bounded.errors.contains("more than 50 redirects"))
        let object = try await TernTool.run("get", "-L", "--report-json", origin.url("/58")).object()
        let redirects = try #require(object["redirects"] as? [[String: Any]])
        #expect(redirects.map { $0["status"] as? Int } == [302, 302])
        #expect(redirects.first?["url"] as? String == origin.url("/58"))
    }

    @Test func `a pin holds behind a redirect to another host`() async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue()
        let target = try ScriptedOrigin(tls: identity) { _, _ in [.ok("fine")] }
        let origin = try ScriptedOrigin { [url = target.url("/")] _, _ in
            [.respond(status: 302, fields: [("Location", url)])]
        }
        let folder = try TemporaryFolder()
        let anchors = try folder.write(authority.certificatePEM, to: "ca.pem")
        let arguments = ["get", "-L", "--cacert", anchors, origin.url("/")]
        #expect(try await TernTool.run(arguments + ["--pin", identity.pin]).text == "fine")
        let refused = try await TernTool.run(arguments + ["--pin", try CertificateAuthority().pin])
        #expect(refused.status == 90)
        #expect(refused.errors.contains("none of the pinned keys is in the chain"))
        #expect(target.requests.count == 1)
    }

    @Test func `a redirect from https to http is refused unless it is allowed`() async throws {
        let plain = try ScriptedOrigin { _, _ in [.ok("fine")] }
        let identity = try CertificateAuthority().issue()
        let origin = try ScriptedOrigin(tls: identity) { [url = plain.url("/")] _, _ in
            [.respond(status: 302, fields: [("Location", url)])]
        }
        let refused = try await TernTool.run("get", "-kL", origin.url("/"))
        #expect(refused.status == 1)
        #expect(refused.errors.contains("from https to http"))
        #expect(try await TernTool.run("get", "-kL", "--allow-downgrade", origin.url("/")).text == "fine")
    }

    @Test func `a transient answer is asked for again, and only the last one is written`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/never" || request.value(of: "X") != nil
                ? [.respond(status: 503, body: "no")] : [.ok("yes")]
        }
        let never = try await TernTool.run(
            "get", "--retry", "2", "--retry-delay", "0.01", "-w", " %{http_code}", origin.url("/never"))
        #expect(never.text == "no 503")
        #expect(never.status == 0)
        let lines = [2, 1].map { "Warning: Problem : HTTP error. Will retry in 0.01 seconds. \($0) retries left.\n" }
        #expect(never.errors.contains(lines.joined()))
        #expect(origin.requests.count == 3)
        let once = try await TernTool.run("get", "--retry", "2", origin.url("/"))
        #expect(once.text == "yes")
        #expect(origin.requests.count == 4)
    }

    @Test func `a time limit is no end where there are retries, unless something was written through`() async throws {
        let count = AttemptCount()
        let origin = try ScriptedOrigin { _, request in
            if count.next() > 1 { return [.ok("whole")] }
            return [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwho"), .hold]
        }
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "file").path
        let options = ["-sS", "--max-time", "0.5", "--retry", "1", "--retry-delay", "0.01"]
        let kept = try await TernTool.run(["get"] + options + ["-o", file, origin.url("/")])
        #expect(kept.status == 0, "\(kept.errors)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "whole")
        count.reset()
        let lost = try await TernTool.run(["get"] + options + [origin.url("/")])
        #expect(lost.status == 28)
        #expect(lost.text == "who")
    }

    @Test func `--compressed asks for a compressed body and writes it as it was; without it nothing is asked`()
        async throws
    {
        let gzip = try await Command.run(["sh", "-c", "printf 'plain text' | gzip -n"])
        let origin = try ScriptedOrigin { [bytes = [UInt8](gzip.bytes)] _, request in
            [.respond(fields: [("Content-Encoding", "gzip")], body: bytes)]
        }
        #expect(try await TernTool.run("get", "--compressed", origin.url("/")).text == "plain text")
        #expect(try await TernTool.run("get", origin.url("/")).output == gzip.bytes)
        #expect(origin.requests.map { $0.value(of: "Accept-Encoding") != nil } == [true, false])
    }

    @Test func `Unix domain sockets are reached by path and by abstract name`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "socket").path
        var configuration = ScriptedOrigin.Configuration()
        configuration.address = .unix(path: path)
        let origin = try ScriptedOrigin(configuration) { _, request in [.ok("path")] }
        #expect(try await TernTool.run("get", "--unix-socket", path, "http://example.test/").text == "path")
        #expect(try await TernTool.run("get", "--unix-socket", path, "http:/v1.41/info").text == "path")
        #expect(origin.requests.first?.value(of: "Host") == "example.test")
        let name = "tern-\(UUID().uuidString)"
        configuration.address = .abstract(name: name)
        let abstract = try ScriptedOrigin(configuration) { _, _ in [.ok("abstract")] }
        #expect(try await TernTool.run("get", "--abstract-unix-socket", name, "http://a.test/").text == "abstract")
        withExtendedLifetime(abstract) {}
    }

    @Test func `a large upload asks first, and is sent from its file`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok("\(request.body.count)")] }
        let folder = try TemporaryFolder()
        let file = try folder.write(Data(repeating: 0x61, count: 3_000_000), to: "file")
        #expect(try await TernTool.run("put", "-T", file, origin.url("/")).text == "3000000")
        #expect(origin.requests.first?.value(of: "Expect") == "100-continue")
        #expect(try await TernTool.run("put", "-T", file, "-H", "Expect:", origin.url("/")).text == "3000000")
        #expect(origin.requests.last?.value(of: "Expect") == nil)
        let waited = try await TernTool.run(
            "post", "--data-binary", "@" + file, "--expect100-timeout", "0.01", "-w", " %{size_upload}", origin.url("/")
        )
        #expect(waited.text == "3000000 3000000")
    }

    @Test func `standard input is sent as it comes, and read for -d and -H`() async throws {
        let origin = try EchoOrigin.start()
        let tool = try TernTool.executable.path
        func run(_ line: String) async throws -> String {
            try await Command.run(
                ["sh", "-c", line.replacing("TERN", with: #""$0""#), tool, origin.url("/")],
                environment: TernTool.environment
            ).output
        }
        #expect(try await run(#"(printf one; printf two) | TERN put -T - "$1""#).hasSuffix("\n\nonetwo"))
        #expect(origin.requests.last?.value(of: "Transfer-Encoding") == "chunked")
        #expect(try await run(#"printf 'a\nb' | TERN post -d @- "$1""#).hasSuffix("\n\nab"))
        #expect(try await run(#"printf 'X-In: 1\n' | TERN get -H @- "$1""#).contains("\nx-in: 1\n"))
    }

    @Test func `-D writes all heads of all URLs to a file`() async throws {
        let origin = try EchoOrigin.start()
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "heads").path
        let result = try await TernTool.run("get", "-L", "-D", file, origin.url("/redirect"), origin.url("/status/404"))
        #expect(result.status == 0)
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\r\n")
        #expect(
            lines.filter { $0.hasPrefix("HTTP/") } == ["HTTP/1.1 302 Found", "HTTP/1.1 200 ", "HTTP/1.1 404 As Asked"])
    }

    @Test func `-i and -D write every head of a chain that is longer than what is kept`() async throws {
        let field = ("X-Long", String(repeating: "x", count: 8_000))
        let origin = try ScriptedOrigin { _, request in
            let number = Int(request.target.dropFirst()) ?? 0
            if number == 100 { return [.respond(fields: [field], body: "end")] }
            return [.respond(status: 302, reason: "\(number)", fields: [("Location", "/\(number + 1)"), field])]
        }
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "heads").path
        let result = try await TernTool.run(
            "get", "-i", "-L", "--max-redirs", "-1", "-D", file, "-w", "%{stderr}%{size_header}", origin.url("/0"))
        #expect(result.status == 0)
        #expect(result.text.hasSuffix("\r\n\r\nend"))
        let heads = String(result.text.dropLast(3))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == heads)
        #expect(result.errors == "\(heads.utf8.count)")
        let reasons = heads.split(separator: "\r\n").filter { $0.hasPrefix("HTTP/1.1 302 ") }.map { $0.dropFirst(13) }
        #expect(reasons.elementsEqual((0..<100).map { "\($0)"[...] }))
    }

    @Test func `-w says times in order, and everything as JSON`() async throws {
        let origin = try EchoOrigin.start()
        let result = try await TernTool.run("get", "-o", "/dev/null", "-w", "%{json}", origin.url("/"))
        let object = try result.object()
        let order = [
            "time_namelookup", "time_connect", "time_pretransfer", "time_starttransfer", "time_total",
        ]
        let times = order.compactMap { object[$0] as? Double }
        #expect(times.count == order.count)
        #expect(times == times.sorted())
        #expect(object["time_appconnect"] as? Double == 0)
        #expect(object["http_code"] as? Int == 200)
        #expect(object["local_ip"] as? String == "127.0.0.1")
        #expect(try #require(object["local_port"] as? Int) > 0)
        let errors = try await TernTool.run("get", "-w", "%{stderr}%{http_code}%{stdout}x", origin.url("/status/404"))
        #expect(errors.text == "nox")
        #expect(errors.errors == "404")
        let failed = try await TernTool.run("get", "-sf", "-w", "a%{onerror}%{exitcode}", origin.url("/status/404"))
        #expect(failed.text == "a22")
        #expect(try await TernTool.run("get", "-s", "-w", "a%{onerror}b", origin.url("/status/200")).text == "noa")
    }

    @Test func `-w says how far a connection came that was not opened, and how long a request was queued`() async throws
    {
        let origin = try ScriptedOrigin(tls: CertificateAuthority().issue()) { _, _ in [.ok()] }
        let format = "%{stderr}%{remote_port} %{time_namelookup} %{time_connect} %{time_appconnect} %{time_queue}"
        let result = try await TernTool.run("get", "-s", "-w", format, origin.url("/"))
        #expect(result.status == 60)
        let values = result.errors.split(separator: " ").compactMap { Double($0) }
        #expect(values.count == 5)
        #expect(values.first == Double(origin.port))
        #expect(values.dropFirst().prefix(2).allSatisfy { $0 > 0 })
        #expect(values.suffix(2) == [0, 0])
    }

    @Test func `progress is shown on a terminal if the body goes to a file, and only then`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("fine")] }
        let tool = try TernTool.executable.path
        func onTerminal(_ options: String) async throws -> String {
            let line = "\(tool) get \(options) \(origin.url("/"))"
            return try await Command.run(
                ["script", "-qec", line, "/dev/null"], environment: TernTool.environment
            ).output
        }
        #expect(try await onTerminal("-o /dev/null").contains("100 %  4 B of 4 B"))
        #expect(try await !onTerminal("-s -o /dev/null").contains("%"))
        #expect(try await onTerminal("") == "fine")
        #expect(try await TernTool.run("get", "-o", "/dev/null", origin.url("/")).errors.isEmpty)
    }

    private func words(_ arguments: String, _ origin: ScriptedOrigin) -> [String] {
        arguments.split(separator: " ").map { $0 == "''" ? "" : String($0).replacing("URL", with: origin.url("")) }
    }
}
