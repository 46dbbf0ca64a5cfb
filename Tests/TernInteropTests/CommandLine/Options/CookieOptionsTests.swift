// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestPrograms
import Testing

/// Cookies of the command, with curl as the other reader and writer of the files.
@Suite(.timeLimit(.minutes(1))) struct CookieOptionsTests {
    /// Answers with the cookies of the request, and sets three.
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            let fields = [
                ("Set-Cookie", "kept=1; Max-Age=1000"), ("Set-Cookie", "session=2; HttpOnly"),
                ("Set-Cookie", "deep=3; Path=/deep; Max-Age=1000"),
            ]
            return [
                .respond(fields: request.target == "/set" ? fields : [], body: request.value(of: "Cookie") ?? "none")
            ]
        }
    }

    private func tern(_ arguments: String...) async throws -> String {
        let result = try await TernTool.run(arguments)
        #expect(result.status == 0, "\(result.errors)")
        return result.text
    }

    @Test func `a jar is written as curl writes it, and each of both sends the other's cookies`() async throws {
        let (origin, folder) = (try Self.origin(), try TemporaryFolder())
        let url = "http://127.0.0.1:\(origin.port)"
        let (ours, theirs) = (folder.url.appending(path: "ours").path, folder.url.appending(path: "theirs").path)
        #expect(try await tern("-c", ours, url + "/set") == "none")
        _ = try await curl("-c", theirs, url + "/set")
        for jar in [ours, theirs] {
            for path in ["/", "/deep"] {
                let sent = Set(try await tern("-b", jar, url + path).split(separator: "; "))
                #expect(sent == Set(try await curl("-b", jar, url + path).split(separator: "; ")))
                #expect(sent == (path == "/" ? ["kept=1", "session=2"] : ["kept=1", "session=2", "deep=3"]))
            }
            #expect(try await tern("-j", "-b", jar, url) == "kept=1")
        }
        let mode = try FileManager.default.attributesOfItem(atPath: ours)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `cookies go along with the next URL, and the jar has no others in the end`() async throws {
        let (origin, folder) = (try Self.origin(), try TemporaryFolder())
        let (url, jar) = ("http://127.0.0.1:\(origin.port)", folder.url.appending(path: "jar").path)
        try "old.test\tFALSE\t/\tFALSE\t0\told\t1\n".write(toFile: jar, atomically: true, encoding: .utf8)
        let text = try await tern("-c", jar, url + "/set", url + "/deep")
        #expect(text == "none" + "deep=3; kept=1; session=2")
        let names = try String(contentsOfFile: jar, encoding: .utf8).split(separator: "\n").filter { $0.contains("\t") }
            .compactMap { $0.split(separator: "\t").dropLast().last }
        #expect(Set(names) == ["kept", "session", "deep"])
    }

    @Test func `the jar goes to standard output`() async throws {
        let origin = try Self.origin()
        let text = try await tern("-c-", "-o", "/dev/null", "http://127.0.0.1:\(origin.port)/set")
        #expect(text.contains("#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\t2\n"))
    }

    private static let good = "127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\tabc\n"

    /// A shell with the command as `$TERN` and the origin as `$URL`.
    private func shell(_ script: String, in folder: TemporaryFolder, _ origin: ScriptedOrigin) async throws
        -> Command.Result
    {
        let setting = ["TERN=" + (try TernTool.executable.path), "URL=http://127.0.0.1:\(origin.port)"]
        return try await Command.run(
            ["env", "-C", folder.url.path] + setting + ["bash", "-c", script])
    }

    @Test(arguments: [
        "printf \"$GOOD\" | $TERN -s -b - $URL", "printf \"$GOOD\" | $TERN -s -b /dev/stdin $URL",
        "$TERN -s -b <(printf \"$GOOD\") $URL", "mkfifo f; printf \"$GOOD\" > f & $TERN -s -b f $URL",
        "printf \"$GOOD\" > c=d; $TERN -s -b @c=d $URL", "printf \"$GOOD\" > c; $TERN -s -b nothing -b c $URL",
        "printf \"\\xEF\\xBB\\xBF# x\\r\\n \\t$GOOD\" > c; $TERN -s -b c $URL",
        "printf 'HTTP/1.1 200 OK\\r\\nX: y\\r\\nSet-Cookie: sid=abc; Domain=127.0.0.1\\r\\n\\r\\n' > h; $TERN -sS -b h $URL",
        "printf 'HTTP/1.1 200 OK\\r\\nSet-Cookie: sid=abc\\r\\n\\r\\n' > h; $TERN -sS -b h $URL",
        "printf 'set-cookie:sid=abc;domain=127.0.0.1' > h; $TERN -sS -b h $URL",
    ])
    func `cookies are read from files of both kinds, and from streams`(script: String) async throws {
        let (origin, folder) = (try Self.origin(), try TemporaryFolder())
        let good = "GOOD='" + Self.good.replacing("\t", with: "\\t").replacing("\n", with: "\\n") + "'; "
        let result = try await shell(good + script, in: folder, origin)
        #expect(result.status == 0 && result.output == "sid=abc" && result.errors.isEmpty, "\(result.errors)")
    }

    @Test(arguments: ["-b ''", "-b /dev/null", "-c /dev/null", "-c /dev/stderr", "-b nothing"])
    func `cookies live for one run`(options: String) async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/"
                ? [.respond(status: 302, fields: [("Location", "/b"), ("Set-Cookie", "sid=abc; Secure")])]
                : [.respond(body: request.value(of: "Cookie") ?? "none")]
        }
        let folder = try TemporaryFolder()
        let result = try await shell("$TERN -sSL \(options) $URL && ls", in: folder, origin)
        #expect(result.status == 0 && result.output == "sid=abc", "\(result.output) \(result.errors)")
    }

    @Test func `a cookie without a domain is for the hosts of the command line, not for those of redirects`()
        async throws
    {
        let other = try Self.origin()
        let origin = try ScriptedOrigin { _, _ in
            [.respond(status: 302, fields: [("Location", "http://localhost:\(other.port)/")])]
        }
        let folder = try TemporaryFolder()
        let result = try await shell("printf 'Set-Cookie: sid=abc' > h; $TERN -sSL -b h $URL", in: folder, origin)
        #expect(result.output == "none")
        #expect(origin.requests.map { $0.value(of: "Cookie") } == ["sid=abc"])
    }

    @Test(arguments: [
        ("-b lang=en -b c", "sid=abc; lang=en"), ("-b a=1 -b b=2 -b c", "sid=abc; a=1; b=2"),
        ("-H 'Cookie: lang=en' -b c", "sid=abc; lang=en"), ("-b sid=x -b c", "sid=abc; sid=x"),
        ("-b lang=en", "lang=en"),
    ])
    func `a text of cookies goes behind those of a file`(options: String, sent: String) async throws {
        let (origin, folder) = (try Self.origin(), try TemporaryFolder())
        try Self.good.write(to: folder.url.appending(path: "c"), atomically: true, encoding: .utf8)
        let result = try await shell("$TERN -sS \(options) $URL", in: folder, origin)
        #expect(result.output == sent, "\(result.errors)")
    }

    @Test func `a text of cookies goes along with what a redirect sets, and the jar has that alone`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/"
                ? [.respond(status: 302, fields: [("Location", "/b"), ("Set-Cookie", "sid=abc")])]
                : [.respond(body: request.value(of: "Cookie") ?? "none")]
        }
        let folder = try TemporaryFolder()
        let result = try await shell("$TERN -sSL -b lang=en -c j $URL && grep -c lang j", in: folder, origin)
        #expect(result.output == "sid=abc; lang=en0\n", "\(result.errors)")
        #expect(origin.requests.map { $0.value(of: "Cookie") } == ["lang=en", "sid=abc; lang=en"])
    }

    @Test(arguments: [
        "$TERN -sS -c j $URL > /dev/null; cat j", "$TERN -s -c j http://127.0.0.1:1; cat j",
        "echo '<html>' > j; $TERN -sS -c j $URL > /dev/null; cat j",
        "ln -s t j; $TERN -sS -c j $URL > /dev/null; cat t",
        "printf 'old.test\\tFALSE\\t/\\tFALSE\\t0\\ta\\t1\\n' > j; $TERN -sS -c j $URL > /dev/null; cat j",
        "$TERN -sS -b j -c j $URL > /dev/null; cat j", "$TERN -sS -o /dev/null -c - $URL",
        "$TERN -sS -o /dev/null -c /dev/fd/1 $URL",
        "mkfifo j; $TERN -sS -o /dev/null -c j $URL & cat j", "$TERN -sS -c j $URL >/dev/full; cat j",
    ])
    func `the jar is made without a look at what was there, whatever happens`(script: String) async throws {
        let (origin, folder) = (try Self.origin(), try TemporaryFolder())
        let result = try await shell(script + "; ls -A | grep -v '^[jt]$'", in: folder, origin)
        #expect(result.output == "# Netscape HTTP Cookie File\n\n", "\(result.output) \(result.errors)")
        #expect(result.errors.isEmpty || script.contains("/dev/full"), "\(result.errors)")
    }

    @Test func `twenty processes add to one jar, and its odd lines stay`() async throws {
        let origin = try ScriptedOrigin { _, request in
            [.respond(fields: [("Set-Cookie", "\(request.target.dropFirst())=1; Path=/")])]
        }
        let folder = try TemporaryFolder()
        let script = """
            printf 'odd line\\r\\n# mine\\n' > j
            for i in $(seq 20); do $TERN -s -b j -c j $URL/n$i & done; wait
            grep -c 127.0.0.1 j; grep -c 'odd line\r' j; grep -c '# mine' j; ls -A
            """
        let result = try await shell(script, in: folder, origin)
        #expect(result.output == "20\n1\n1\nj\n", "\(result.output) \(result.errors)")
    }

    @Test func `a line that is no cookie is skipped, and told unless -s is given`() async throws {
        let (origin, folder) = (try Self.origin(), try TemporaryFolder())
        let script = "printf '\(Self.good)odd\n<html>\n' > c; $TERN"
        let told = try await shell("\(script) -b c -o /dev/null $URL", in: folder, origin)
        #expect(told.status == 0)
        #expect(
            told.errors == "tern: -b: 2 lines of c skipped: no cookie in the Netscape format (the first is line 2)\n")
        let silent = try await shell("\(script) -s -b c $URL", in: folder, origin)
        #expect(silent.output == "sid=abc" && silent.errors.isEmpty)
    }

    @Test func `a terminal gets no characters that control it from a jar`() async throws {
        let value = Array("x\u{9B}31m\u{202E}".utf8) + [0x9B, 0x41]
        let origin = try ScriptedOrigin { _, _ in
            [
                .send(
                    Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: n=".utf8) + value
                        + Array("\r\n\r\n".utf8))
            ]
        }
        let folder = try TemporaryFolder()
        for jar in ["-", "/dev/stdout", "/dev/tty"] {
            let script = "script -qec \"$TERN -sS -o /dev/null -c \(jar) $URL\" /dev/null"
            let shown = try await shell(script, in: folder, origin)
            #expect(shown.output.contains("127.0.0.1\tFALSE\t/\tFALSE\t0\tn\tx\\u009b31m\\u202e"), "\(shown.output)")
            #expect(!shown.bytes.contains(0x9B) && !shown.output.unicodeScalars.contains("\u{202E}"))
            let piped = try await shell("$TERN -sS -o /dev/null -c - $URL | cat", in: folder, origin)
            #expect(piped.bytes.suffix(value.count + 1) == Data(value + [0x0A]))
        }
    }

    @Test func `what cannot be used is an error that names the option`() async throws {
        let (origin, folder) = (try Self.origin(), try TemporaryFolder())
        let url = "http://127.0.0.1:\(origin.port)/"
        for (arguments, status, message) in [
            (["-b", folder.url.path], 26, "-b: cannot read \(folder.url.path)"),
            (["-b", "/dev/zero"], 26, "longer than 64 MB"),
            (["-c", folder.url.path], 23, "-c: cannot write \(folder.url.path)"),
            (["-c", folder.url.appending(path: "no/jar").path], 23, "-c: cannot write"),
            (["-c", "/dev/full"], 23, "-c: cannot write"),
            (["-b", "-", "-d", "@-"], 2, "standard input"),
        ] {
            let result = try await TernTool.run(arguments + [url])
            #expect(Int(result.status) == status && result.errors.contains(message), "\(arguments): \(result.errors)")
        }
    }
}
