// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestPrograms
import TestProofs
import Testing

@testable import TernCLI

/// `tern download` against nginx, Python's server and a scripted one, as its users call it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DownloadCommandTests {
    private let content = Pattern.bytes(2_000_000)

    /// Runs the tool in `folder`.
    private func run(
        _ arguments: [String], in folder: TemporaryFolder, limit: String = ""
    ) async throws -> (status: Int32, errors: String, output: Data) {
        let script = "cd \"$0\" && \(limit) exec \"$@\""
        let result = try await Command.run(
            ["sh", "-c", script, folder.url.path, TernTool.executable.path, "download"] + arguments,
            environment: TernTool.environment)
        return (result.status, result.errors, result.bytes)
    }

    /// The same for a process that receives a signal.
    private func start(_ arguments: [String], in folder: TemporaryFolder) throws -> TestProgram {
        try TestProgram(
            [TernTool.executable.path, "download", "-s"] + arguments, environment: TernTool.environment, in: folder.url,
            limit: .seconds(60), output: { _ in })
    }

    private func names(_ folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    }

    private func read(_ name: String, in folder: TemporaryFolder) throws -> Data {
        try Data(contentsOf: folder.url.appending(path: name))
    }

    @Test func `the file has the URL's name, and replaces nothing`() async throws {
        let server = try await NginxServer(files: ["a/file.bin": content])
        let folder = try TemporaryFolder()
        let first = try await run([server.url("/a/file.bin?x")], in: folder)
        #expect(first.status == 0)
        #expect(first.output.isEmpty)
        // As many tenths as it had time for.
        #expect(
            first.errors.split(separator: "\n").dropLast().allSatisfy {
                $0.contains("0 %  ") && $0.contains(" of 1.9 MB")
            })
        #expect(first.errors.split(separator: "\n").last?.hasPrefix("tern: file.bin: 1.9 MB in ") == true)
        #expect(try read("file.bin", in: folder) == content)
        try folder.write("mine", to: "file.bin")
        let second = try await run([server.url("/a/file.bin")], in: folder)
        #expect(second.status == 23)
        #expect(second.errors.contains("already"))
        #expect(try read("file.bin", in: folder) == Data("mine".utf8))
        #expect(try await run(["--clobber", "-s", server.url("/a/file.bin")], in: folder).errors == "")
        #expect(try read("file.bin", in: folder) == content)
        #expect(try names(folder) == ["file.bin"])
    }

    @Test func `a download takes the options of any request, and tells what it did`() async throws {
        let folder = try TemporaryFolder()
        let origin = try ScriptedOrigin { _, request in
            if request.target == "/missing" { return [.respond(status: 404, body: "none")] }
            return [.respond(fields: [("Set-Cookie", "s=2")], body: "content")]
        }
        let result = try await run(
            [
                "-X", "POST", "-d", "a=b", "-b", "c=1", "-c", "jar", "-v", "-D", "heads", "-o", "f",
                "-w", "%{http_code} %{size_download} %{filename_effective} %{num_retries}\n", origin.url("/x"),
            ], in: folder)
        #expect(result.status == 0 && result.output == Data("200 7 f 0\n".utf8), "\(result.errors)")
        let request = try #require(origin.requests.first)
        #expect(request.method == "POST" && request.bodyText == "a=b" && request.value(of: "Cookie") == "c=1")
        #expect(result.errors.contains("> POST /x HTTP/1.1\n") && result.errors.contains("< HTTP/1.1 200 "))
        #expect(try read("f", in: folder) == Data("content".utf8))
        #expect(try String(decoding: read("heads", in: folder), as: UTF8.self).hasPrefix("HTTP/1.1 200 "))
        #expect(try String(decoding: read("jar", in: folder), as: UTF8.self).contains("\ts\t2"))
        let missing = try await run(["-w", "%{http_code}", "-o", "g", origin.url("/missing")], in: folder)
        #expect(missing.status == 22 && missing.output == Data("404".utf8), "\(missing.errors)")
        #expect(missing.errors == "tern: (22) the server answered 404 to \(origin.url("/missing"))\n")
        #expect(try names(folder) == ["f", "heads", "jar"])
    }

    @Test func `the server may name it, but no other folder`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(fields: [("Content-Disposition", "attachment; filename=\"../../.evil\"")], body: "x")]
        }
        let folder = try TemporaryFolder()
        for (arguments, name) in [
            ([], "evil"), (["-O"], "file"), (["-O", "-J", "--clobber"], "evil"), (["-o", "mine"], "mine"),
        ] {
            #expect(try await run(arguments + [origin.url("/a/file")], in: folder).status == 0)
            #expect(try names(folder).contains(name))
        }
        #expect(try names(folder) == ["evil", "file", "mine"])
    }

    @Test func `a tilde is a character, and a link's parent is where it leads`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(fields: [("Content-Disposition", "attachment; filename=\"~root\"")], body: "x")]
        }
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "d/e")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder.url.appending(path: "a").path, withDestinationPath: "d/e")
        for (arguments, name) in [([], "~root"), (["-o", "~/x"], "~/x"), (["-o", "a/../q"], "d/q")] {
            if name == "~/x" {
                try FileManager.default.createDirectory(
                    atPath: folder.url.path + "/~", withIntermediateDirectories: false)
            }
            #expect(try await run(arguments + [origin.url("/a/file")], in: folder).status == 0)
            #expect(FileManager.default.contents(atPath: folder.url.path + "/" + name) == Data("x".utf8))
        }
        #expect(try names(folder) == ["a", "d", "~", "~root"])
    }

    @Test(arguments: [2, 5, 300_000]) func `a file that is longer than it may be replaces nothing`(count: Int)
        async throws
    {
        let body = String(repeating: "x", count: count)
        let origin = try ScriptedOrigin { _, _ in [.chunked([body])] }
        let folder = try TemporaryFolder()
        try folder.write("old", to: "file")
        let result = try await run(["--max-filesize", "\(count - 1)", "-o", "file", origin.url("/")], in: folder)
        #expect(result.status == 63)
        #expect(result.errors.hasSuffix("tern: (63) the body exceeds the \(count - 1) bytes of --max-filesize\n"))
        #expect(try read("file", in: folder) == Data("old".utf8))
        #expect(try names(folder) == ["file"])
        #expect(try await run(["--max-filesize", "\(count)", "-o", "file", origin.url("/")], in: folder).status == 0)
        #expect(try read("file", in: folder) == Data(body.utf8))
    }

    @Test(arguments: [
        "-C 5 URL/a", "-C - -r 0-1 URL/a", "-r 5-4 URL/a", "-r - URL/a", "-r 0-1,3-4 URL/a",
        "-r -0 URL/a",
        "--sha256 00 URL/a", "--sha256 zz URL/a", "-o x -O URL/a", "-o x -J URL/a", "-o x --clobber URL/a",
        "-o '' URL/a",
        "-O URL/", "--create-dirs URL/a", "--compressed URL/a", "-o - -C - URL/a", "-o . URL/a",
        "-o /dev/null --repr-digest URL/a", "-o - --retry 1 URL/a",
        "--repr-digest -r 0-1 URL/a",
        "URL/a URL/b", "ftp://a/b", "-C - --max-filesize 1 URL/a",
    ])
    func `contradictions are refused before anything is sent`(arguments: String) async throws {
        let origin = try EchoOrigin.start()
        let folder = try TemporaryFolder()
        let words = arguments.split(separator: " ").map {
            $0 == "''" ? "" : $0.replacingOccurrences(of: "URL/", with: origin.url("/"))
        }
        let result = try await run(words, in: folder)
        #expect([1, 2, 23].contains(result.status), "\(result.errors)")
        #expect(result.errors.hasPrefix("tern: (\(result.status)) "))
        #expect(origin.connectionCount == 0)
        #expect(try names(folder) == [])
    }

    @Test func `an error is no file`() async throws {
        let origin = try EchoOrigin.start()
        let folder = try TemporaryFolder()
        try folder.write("mine", to: "file")
        for path in ["/status/404", "/status/500"] {
            let result = try await run(["-o", "file", origin.url(path)], in: folder)
            #expect(result.status == 22)
            #expect(result.errors.contains("the server answered \(path.dropFirst(8))"))
        }
        #expect(try read("file", in: folder) == Data("mine".utf8))
        #expect(try names(folder) == ["file"])
        #expect(try await run(["-o", "file", origin.url("/redirect")], in: folder).status == 0)
        #expect(String(decoding: try read("file", in: folder), as: UTF8.self).hasPrefix("GET /final"))
    }

    @Test func `an interrupted download is kept, and resumed on request`() async throws {
        let content = content
        let origin = try ScriptedOrigin { _, request in
            if request.value(of: "Range") == "bytes=500000-" {
                let rest = [UInt8](content.dropFirst(500_000))
                let head = "HTTP/1.1 206 P\r\nContent-Range: bytes 500000-1999999/2000000\r\nETag: \"a\"\r\n"
                return [.send(head + "Content-Length: \(rest.count)\r\n\r\n"), .send(rest)]
            }
            return [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\nETag: \"a\"\r\n\r\n"),
                .send([UInt8](content.prefix(500_000))),
                .close,
            ]
        }
        let folder = try TemporaryFolder()
        let broken = try await run([origin.url("/file")], in: folder)
        #expect(broken.status == 18)
        #expect(broken.errors.contains("500000 bytes are kept; the same command with -C - resumes there"))
        #expect(try names(folder) == [".file.tern-part", ".file.tern-part.json"])
        #expect(try await run(["-s", origin.url("/file")], in: folder).status == 18)
        #expect(origin.requests.last?.value(of: "Range") == nil)
        let whole = try await run(["-C", "-", origin.url("/file")], in: folder)
        #expect(whole.status == 0)
        #expect(whole.errors.contains("from byte 500000 on"))
        #expect(try read("file", in: folder) == content)
        #expect(try names(folder) == ["file"])
        let retried = try await run(
            ["--retry", "1", "--retry-delay", "0.01", "-o", "again", origin.url("/file")], in: folder)
        #expect(retried.status == 0, "\(retried.errors)")
        #expect(try read("again", in: folder) == content)
    }

    @Test func `-C - leaves a complete file alone, and refuses a part that another program left`() async throws {
        let server = try await NginxServer(files: ["file.bin": content])
        let folder = try TemporaryFolder()
        let line = ["-C", "-", "-o", "file", server.url("/file.bin")]
        #expect(try await run(line, in: folder).status == 0)
        let again = try await run(line, in: folder)
        #expect(again.status == 0 && again.errors == "tern: file: complete already\n", "\(again.errors)")
        try folder.write(content.prefix(1000), to: "file")
        let refused = try await run(line, in: folder)
        #expect(refused.status == 36)
        #expect(refused.errors.hasPrefix("tern: (36) file has 1000 bytes, the server's file has 2000000"))
        #expect(try read("file", in: folder) == content.prefix(1000))
    }

    @Test func `a server without ranges starts over`() async throws {
        let server = try await PythonServer(.http11, files: ["file.bin": content])
        let folder = try TemporaryFolder()
        try folder.write(content.prefix(1000), to: ".file.bin.tern-part")
        try folder.write(
            """
            {"format":"tern-resume-data","version":1,"url":"\(server.url("/file.bin"))","fields":[],"entityTag":"\\"x\\"",\
            "partialFile":"\(folder.url.resolvingSymlinksInPath().path)/.file.bin.tern-part"}
            """, to: ".file.bin.tern-part.json")
        let result = try await run(["-C", "-", server.url("/file.bin")], in: folder)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try read("file.bin", in: folder) == content)
        #expect(try names(folder) == ["file.bin"])
    }

    @Test func `only what has the right digest is kept`() async throws {
        let server = try await NginxServer(files: ["file.bin": Data("abc".utf8)])
        let right = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        let folder = try TemporaryFolder()
        let wrong = try await run(["--sha256", String(repeating: "0", count: 64), server.url("/file.bin")], in: folder)
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("content is \(right), and not \(String(repeating: "0", count: 64))"))
        #expect(try names(folder) == [])
        #expect(try await run(["--sha256", right.uppercased(), server.url("/file.bin")], in: folder).status == 0)
        #expect(try await run(["--repr-digest", "-o", "x", server.url("/file.bin")], in: folder).status == 1)
        #expect(try names(folder) == ["file.bin"])
    }

    @Test func `a part is saved, and no whole instead of it`() async throws {
        let nginx = try await NginxServer(files: ["file.bin": content])
        let folder = try TemporaryFolder()
        #expect(try await run(["-r", "10-19", "-o", "part", nginx.url("/file.bin")], in: folder).status == 0)
        #expect(try read("part", in: folder) == content[10..<20])
        #expect(try await run(["-r", "-5", "-o", "part", nginx.url("/file.bin")], in: folder).status == 0)
        #expect(try read("part", in: folder) == content.suffix(5))
        let python = try await PythonServer(.http11, files: ["file.bin": content])
        let result = try await run(["-r", "10-19", "-o", "part", python.url("/file.bin")], in: folder)
        #expect(result.status == 33)
        #expect(result.errors.contains("the whole, and not the part"))
        #expect(try read("part", in: folder) == content.suffix(5))
    }

    @Test func `devices, FIFOs and standard output are written through`() async throws {
        let server = try await NginxServer(files: ["file.bin": content])
        let folder = try TemporaryFolder()
        #expect(try await run(["-o", "-", server.url("/file.bin")], in: folder).output == content)
        #expect(try await run(["-o", "/dev/null", server.url("/file.bin")], in: folder).status == 0)
        let result = try await Command.run(
            [
                "sh", "-c", "cd \"$0\" && mkfifo p && { \"$1\" download -o p \"$2\" & cat p; }", folder.url.path,
                TernTool.executable.path, server.url("/file.bin"),
            ], environment: TernTool.environment)
        #expect(result.bytes == content)
        #expect(try names(folder) == ["p"])
    }

    @Test(.disabled(if: TernTool.isThreadSanitized, "ThreadSanitizer ends a process whose files may not grow"))
    func `a file that may not be so large is an error, and the old one stays`() async throws {
        let server = try await NginxServer(files: ["file.bin": content])
        let folder = try TemporaryFolder()
        try folder.write("mine", to: "file")
        let result = try await run(["-o", "file", server.url("/file.bin")], in: folder, limit: "ulimit -f 100;")
        #expect(result.status == 23)
        #expect(result.errors.contains("File too large"))
        #expect(try read("file", in: folder) == Data("mine".utf8))
    }

    @Test func `killed at any moment, it resumes to the same bytes`() async throws {
        let kills = Rounds.of(10)
        let content = content + content + content + content
        let server = try await NginxServer(files: ["file.bin": content], directives: "limit_rate 32m;")
        var resumed = 0
        for _ in 0..<kills {
            let folder = try TemporaryFolder()
            let process = try start(["-C", "-", "-o", "file", server.url("/file.bin")], in: folder)
            while process.isRunning, try !names(folder).contains(".file.tern-part") {
                try await Task.sleep(for: .milliseconds(1))
            }
            // Which moment it is does not matter, only that it is another one each time.
            try await Task.sleep(for: .milliseconds(Int.random(in: 0..<250)))
            process.send(SIGKILL)
            _ = await process.ending()
            let result = try await run(["-C", "-", "-o", "file", server.url("/file.bin")], in: folder)
            #expect(result.status == 0, "\(result.errors)")
            if result.errors.contains("from byte") { resumed += 1 }
            #expect(try read("file", in: folder) == content)
            #expect(try names(folder).filter { !$0.hasPrefix(".tern-") } == ["file"])
        }
        #expect(resumed > 0)
        print("killed \(kills) times, and resumed \(resumed) times")
    }

    @Test func `killed, it leaves nothing that cannot be resumed`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .hold]
        }
        let folder = try TemporaryFolder()
        let process = try start([origin.url("/file")], in: folder)
        let descriptors = "/proc/\(process.identifier)/fd"
        let isOpen = {
            try FileManager.default.contentsOfDirectory(atPath: descriptors).contains {
                let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")
                return file?.hasPrefix(folder.url.resolvingSymlinksInPath().path + "/") == true
            }
        }
        while try !isOpen() { try await Task.sleep(for: .milliseconds(5)) }
        process.send(SIGKILL)
        #expect(await process.ending() == .signalled(SIGKILL))
        #expect(try names(folder) == [])
    }

    @Test func `ended by a signal, it keeps the received part`() async throws {
        let content = content
        let origin = try ScriptedOrigin { _, _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\nETag: \"a\"\r\n\r\n"),
                .send([UInt8](content.prefix(500_000))),
                .hold,
            ]
        }
        let folder = try TemporaryFolder()
        let process = try start([origin.url("/file")], in: folder)
        while try !names(folder).contains(".file.tern-part.json") { try await Task.sleep(for: .milliseconds(5)) }
        process.send(SIGTERM)
        #expect(await process.ending() == .signalled(SIGTERM))
        #expect(try names(folder) == [".file.tern-part", ".file.tern-part.json"])
    }
}

@Suite struct ExistingFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func found(_ name: String) -> ExistingFile? { ExistingFile(at: folder.url.appending(path: name)) }

    @Test func `a file is found with its size, also behind a link`() throws {
        try folder.write("12345", to: "file")
        try FileManager.default.createSymbolicLink(
            atPath: folder.url.appending(path: "link").path, withDestinationPath: "file")
        #expect(found("file")?.size == 5)
        #expect(found("link")?.size == 5)
    }

    @Test func `nothing, an empty file and a folder are no file to compare`() throws {
        try folder.write("", to: "empty")
        try folder.write("x", to: "folder/x")
        #expect(found("missing") == nil)
        #expect(found("empty") == nil)
        #expect(found("folder") == nil)
    }

    @Test func `beside a partial file of tern the file is not looked at`() throws {
        try folder.write("12345", to: "file")
        try folder.write("123", to: ".file.tern-part")
        #expect(found("file") == nil)
    }
}
