// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestPrograms
import Testing

/// What happens to the files of `-o` and `-O`: the same with curl and with tern, unless a test says otherwise.
@Suite struct CurlFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs both, each in a folder of its own that begins with these files.
    private func run(
        _ arguments: String, files: [String: String] = [:]
    ) async throws -> [(name: String, result: Command.Result, folder: URL)] {
        var results: [(name: String, result: Command.Result, folder: URL)] = []
        for (name, program) in [("curl", "curl"), ("tern", try TernTool.executable.path)] {
            let place = folder.url.appending(path: name)
            try? FileManager.default.removeItem(at: place)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
            for (file, content) in files { try Data(content.utf8).write(to: place.appending(path: file)) }
            let shell = #"cd "$1" && "$0" -sS --max-time 10 "# + arguments
            let result = try await Command.run(
                ["sh", "-c", shell, program, place.path], environment: TernTool.environment)
            results.append((name, result, place))
        }
        return results
    }

    private func content(_ folder: URL) throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
            })
    }

    @Test(
        "-C adds the rest to the file, and leaves a file that is complete or cannot be continued",
        arguments: [
            ("-C - -o f URL/file", ["f": "0123"], 0, ["f": "0123456789"]),
            ("-C - -O URL/file", [:], 0, ["file": "0123456789"]),
            ("-C 5 -o f URL/file", ["f": "x"], 0, ["f": "x56789"]),
            ("-C - -o f URL/file", ["f": "0123456789"], 0, ["f": "0123456789"]),
            ("-C - -o f URL/file", ["f": ""], 0, ["f": "0123456789"]),
            ("-C - -f -o f URL/none", ["f": "0123"], 22, ["f": "0123"]),
            ("-C - -o f URL/none", ["f": "0123"], 33, ["f": "0123"]), ("-C 4 URL/file", [:], 0, [:]),
        ])
    func continued(arguments: String, files: [String: String], status: Int32, after: [String: String]) async throws {
        let server = try await NginxServer(files: ["file": Data("0123456789".utf8)])
        for (name, result, place) in try await run(arguments.replacing("URL", with: server.url("")), files: files) {
            #expect(result.status == status, "\(name): \(result.errors)")
            #expect(try content(place) == after, "\(name)")
            if arguments.hasPrefix("-C 4") { #expect(result.output == "456789") }
        }
    }

    @Test func `-C is refused by a server that sends the whole, and by one with a shorter file`() async throws {
        let whole = try ScriptedOrigin { _, _ in [.ok("0123456789")] }
        for (name, result, place) in try await run("-C - -o f \(whole.url("/"))", files: ["f": "0123"]) {
            #expect(result.status == 33, "\(name): \(result.errors)")
            #expect(try content(place) == ["f": "0123"])
        }
        // curl takes every 416 for a complete file.
        let server = try await NginxServer(files: ["file": Data("01".utf8)])
        let path = try folder.write("0123", to: "f")
        let shorter = try await TernTool.run("-C", "-", "-o", path, server.url("/file"))
        #expect(shorter.status == 33 && shorter.errors.contains("the server's file has 2"), "\(shorter.errors)")
    }

    @Test func `-C - is no success while the file is shorter than the server's, and goes on with the next`()
        async throws
    {
        let ranges = [(4, 6), (7, 9)]
        let server = try ScriptedOrigin { _, request in
            let (first, last) = request.value(of: "Range") == "bytes=4-" ? ranges[0] : ranges[1]
            let content = String("0123456789".dropFirst(first).prefix(last - first + 1))
            return [.respond(status: 206, fields: [("Content-Range", "bytes \(first)-\(last)/10")], body: content)]
        }
        let path = try folder.write("0123", to: "f")
        let words = ["-sS", "-C", "-", "-o", path, server.url("/")]
        let part = try await TernTool.run(words)
        #expect(
            part.status == 18 && part.errors.contains("has 7 bytes now, and the server's file 10"), "\(part.errors)")
        #expect(try await TernTool.run(words).status == 0)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "0123456789")
    }

    @Test(
        "-J names the file as the server proposes, within its folder, and replaces none",
        arguments: [
            ("attachment; filename=\"a b.txt\"", [:], 0, ["a b.txt": "body"]),
            ("attachment; filename=n", ["n": "old"], 23, ["n": "old"]),
            ("attachment; filename=\"../../up\"", [:], 0, ["up": "body"]), ("inline", ["u": "old"], 0, ["u": "body"]),
        ])
    func proposed(field: String, files: [String: String], status: Int32, after: [String: String]) async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(fields: [("Content-Disposition", field)], body: "body")] }
        for (name, result, place) in try await run("-OJ \(origin.url("/u"))", files: files) {
            #expect(result.status == status, "\(name): \(result.errors)")
            #expect(try content(place) == after, "\(name)")
        }
    }

    /// `L` is a link from `name` to `../out`, dangling unless there is such a file.
    @Test(
        "a name that must be free is not free if it is a link, wherever it leads",
        arguments: [
            ("-OJ", "n", [:], 23, nil), ("-OJ", "n", ["out": "old"], 23, "old"),
            ("--no-clobber -O", "x", [:], 0, nil), ("--no-clobber -o name", "x", ["out": "old"], 0, "old"),
        ])
    func linked(
        options: String, target: String, files: [String: String], status: Int32, after: String?
    ) async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(fields: [("Content-Disposition", "attachment; filename=name")], body: "body")]
        }
        let command = "ln -s out name; cd . && \"$0\" -sS \(options) \(origin.url("/name"))"
        for program in ["curl", try TernTool.executable.path] {
            let place = folder.url.appending(path: "place")
            try? FileManager.default.removeItem(at: place)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
            for (file, content) in files { try Data(content.utf8).write(to: place.appending(path: file)) }
            let result = try await Command.run(
                ["sh", "-c", "cd \"$1\"; " + command, program, place.path], environment: TernTool.environment)
            #expect(result.status == status, "\(program): \(result.errors)")
            let out = try? String(contentsOf: place.appending(path: "out"), encoding: .utf8)
            #expect(out == after, "\(program)")
            let numbered = try? String(contentsOf: place.appending(path: "name.1"), encoding: .utf8)
            #expect(numbered == (status == 0 ? "body" : nil), "\(program)")
        }
    }

    @Test func `a dash is standard output for -o alone`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(fields: [("Content-Disposition", "attachment; filename=n")], body: "body")]
        }
        for (arguments, file) in [("-O URL/-", "-"), ("-OJ URL/-", "n"), ("-O --output-dir . URL/-", "-")] {
            for (name, result, place) in try await run(arguments.replacing("URL", with: origin.url(""))) {
                #expect(result.status == 0 && result.output.isEmpty, "\(name): \(result.errors)")
                #expect(try content(place) == [file: "body"], "\(name)")
            }
        }
        for (name, result, place) in try await run("-o - \(origin.url("/"))") {
            #expect(try result.output == "body" && content(place).isEmpty, "\(name): \(result.errors)")
        }
    }

    @Test(
        "a file that cannot be written is exit status 23, whatever option names it",
        arguments: [
            "-D FILE", "-D FILE -o x", "-o FILE", "-i -o FILE", "--etag-save FILE", "-c FILE", "-D FILE URL -o x -o y",
        ])
    func full(arguments: String) async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(fields: [("ETag", "\"1\""), ("Set-Cookie", "a=b")], body: "body")]
        }
        let text = arguments.replacing("FILE", with: "/dev/full").replacing("URL", with: origin.url("/"))
        for (name, result, _) in try await run(text + " " + origin.url("/")) where name == "tern" {
            #expect(result.status == 23 && result.errors.contains("(23) "), "\(result.errors)")
        }
        let download = try await TernTool.run("download", "-s", "-o", "/dev/full", origin.url("/"))
        #expect(download.status == 23)
    }

    @Test func `a name of the server is made safe, and told by -w`() async throws {
        let field = "attachment; filename=plain; filename*=UTF-8''%e2%82%ac%2F..%2F.x"
        let origin = try ScriptedOrigin { _, _ in [.respond(fields: [("Content-Disposition", field)], body: "body")] }
        let result = try await TernTool.run(
            "-OJ", "--output-dir", folder.url.path, "-w", "%{filename_effective}", origin.url("/u"))
        #expect(result.text == folder.url.path + "/x" && result.status == 0, "\(result.errors)")
        #expect(try content(folder.url) == ["x": "body"])
    }

    @Test(
        "outputs are used in the order of the URLs, and what is left over has no effect",
        arguments: [
            "-o a -o b URL/x", "-o a URL/x -o b", "-O -o y URL/x", "-o y -O URL/x", "-O -o b URL/x URL/y",
            "-o a -O URL/x URL/y", "-OO URL/x", "-J -o f URL/x", "-OJ -o f URL/x", "-J URL/x", "-D f -o f URL/x",
            "-D x -O URL/x", "-D a -D b -o f URL/x", "--remote-name-all -O URL/x", "--remote-name-all -o f URL/x URL/y",
            "--remote-name-all --no-remote-name URL/x URL/y", "-O --no-remote-name -o f URL/x URL/y",
            "--output-dir none URL/x", "--output-dir '' -O URL/x", "--create-dirs URL/x", "-C - URL/x",
            "-w '%{stderr}' -o f URL/x",
        ])
    func outputs(arguments: String) async throws {
        let field = ("Content-Disposition", "attachment; filename=named")
        let origin = try ScriptedOrigin { _, request in [.respond(fields: [field], body: request.target)] }
        let both = try await run(arguments.replacing("URL", with: origin.url("")))
        for (name, result, _) in both { #expect(result.status == 0, "\(name): \(result.errors)") }
        #expect(both[0].result.output == both[1].result.output)
        #expect(try content(both[0].folder) == content(both[1].folder))
    }

    @Test func `%output of -w writes to a file, or at its end`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        let format = "a%output{w}%{http_code}%output{>>l}%{size_download},%{stdout}!%output{/nowhere/x}?"
        for _ in 1...2 {
            let result = try await TernTool.run(
                "-sS", "-w",
                format.replacing("{w}", with: "{\(folder.url.path)/w}")
                    .replacing(">>l", with: ">>\(folder.url.path)/l"), origin.url("/"))
            #expect(result.text == "bodya!?" && result.status == 0, "\(result.errors)")
            #expect(result.errors.contains("cannot write /nowhere/x"))
        }
        #expect(try content(folder.url) == ["w": "200", "l": "4,4,"])
    }

    @Test func `-R gives the file the time of Last-Modified, and without that field the present`() async throws {
        for (field, seconds) in [("Last-Modified", 784_111_777.0), ("X", nil)] as [(String, Double?)] {
            let origin = try ScriptedOrigin { _, _ in
                [.respond(fields: [(field, "Sun, 06 Nov 1994 08:49:37 GMT")], body: "body")]
            }
            for (_, result, place) in try await run("-R -o f \(origin.url("/"))") {
                #expect(result.status == 0, "\(result.errors)")
                let date = try FileManager.default.attributesOfItem(atPath: place.appending(path: "f").path)[
                    .modificationDate]
                let found = try #require(date as? Date).timeIntervalSince1970
                if let seconds { #expect(found == seconds) } else { #expect(found > 1_700_000_000) }
            }
        }
    }

    @Test(
        arguments: [
            ("-R", "Tue, 9-May-2017 20:49:57 +0200", 1_494_355_797, ""),
            ("-R", "some day", nil, "tern: -R: Last-Modified \"some day\" is no date: the file has the present time\n"),
            ("-sR", "some day", nil, ""),
        ] as [(String, String, Double?, String)])
    func `-R reads dates as servers write them, and says where it cannot`(
        option: String, field: String, seconds: Double?, errors: String
    ) async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(fields: [("Last-Modified", field)], body: "body")] }
        let path = folder.url.appending(path: "f").path
        let result = try await TernTool.run("get", "--no-progress-meter", option, "-o", path, origin.url("/"))
        let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        let found = try #require(date).timeIntervalSince1970
        #expect(result.status == 0 && result.errors == errors)
        if let seconds { #expect(found == seconds) } else { #expect(found > 1_700_000_000) }
    }

    @Test func `--no-clobber adds a number to the name, and -w tells it`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("new")] }
        let files = ["f": "old", "f.1": "older"]
        for (_, result, place) in try await run(
            "--no-clobber -o f -w '%{filename_effective}' \(origin.url("/"))", files: files)
        {
            #expect(result.status == 0 && result.output == "f.2", "\(result.errors)")
            #expect(try content(place) == ["f": "old", "f.1": "older", "f.2": "new"])
        }
    }

    @Test func `patterns make several URLs, whose words name the files`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok(request.target)] }
        for (name, result, place) in try await run("-o 'f-#1-#2' '\(origin.url("/"))[01-02]/{a,b}'") {
            #expect(result.status == 0, "\(name): \(result.errors)")
            #expect(
                try content(place) == ["f-01-a": "/01/a", "f-01-b": "/01/b", "f-02-a": "/02/a", "f-02-b": "/02/b"],
                "\(name)")
        }
        for (_, result, place) in try await run("-O '\(origin.url("/"))[1-2].txt' \(origin.url("/x"))") {
            #expect(result.status == 0 && result.output == "/x", "\(result.errors)")
            #expect(try content(place) == ["1.txt": "/1.txt", "2.txt": "/2.txt"])
        }
    }

    @Test func `--fail-early ends with the first failure`() async throws {
        let origin = try EchoOrigin.start()
        for (option, count) in [("--fail-early", 2), ("", 4)] {
            let urls = [200, 404, 200, 404].map { origin.url("/status/\($0)") }.joined(separator: " ")
            let before = origin.requests.count
            for (name, result, _) in try await run("\(option) -f \(urls)") {
                #expect(result.status == 22, "\(name): \(result.errors)")
            }
            #expect(origin.requests.count - before == 2 * count)
        }
    }

    @Test(
        "credentials stay with their server unless --location-trusted sends them along",
        arguments: [("-L", false), ("--location-trusted", true)])
    func trusted(option: String, isSent: Bool) async throws {
        let second = try ScriptedOrigin { _, _ in [.ok("end")] }
        let target = second.url("/")
        let first = try ScriptedOrigin { _, _ in [.respond(status: 302, fields: [("Location", target)])] }
        for (name, result, _) in try await run("\(option) -u a:b -H 'Cookie: c=d' \(first.url("/"))") {
            #expect(result.output == "end", "\(result.errors)")
            let request = try #require(second.requests.last)
            #expect((request.value(of: "Authorization") != nil) == isSent, "\(name)")
            #expect((request.value(of: "Cookie") != nil) == isSent, "\(name)")
        }
    }

    @Test(
        "options that contradict each other, or would be ignored, are refused",
        arguments: [
            ["-OJi"], ["-C", "5", "-r", "1-2"], ["-C", "5", "-d", "x"], ["-C", "x"], ["-C", "-5"],
            ["-C", "5", "--no-clobber", "-o", "f"], ["-C", "5", "--remove-on-error", "-o", "f"], ["-C", "5", "-OJ"],
            ["-C", "5", "--report-json"], ["--request-target", "a b"], ["--http2-prior-knowledge"],
            ["-C", "5", "-H", "Range: bytes=1-"], ["--json"],
        ])
    func refused(arguments: [String]) async throws {
        let result = try await TernTool.run(arguments + ["http://127.0.0.1:1/a"])
        #expect(result.status == 2, "\(result.errors)")
    }

    @Test func `another version of HTTP is answered by HTTP/1.1, and -v says so`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("fine")] }
        for option in ["--http2", "-0", "--http1.0"] {
            let result = try await TernTool.run(option, "-v", origin.url("/"))
            #expect(result.text == "fine" && result.errors.contains("tern speaks HTTP/1.1"), "\(result.errors)")
            #expect(try await TernTool.run(option, origin.url("/")).errors.isEmpty)
        }
    }
}
