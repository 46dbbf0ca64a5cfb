// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestPrograms
import Testing

/// Groups of options (`--next`) and transfers side by side (`-Z`): beside curl, unless a test says otherwise.
@Suite(.serialized) struct SeveralURLsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What one of the programs did, in a folder of its own.
    private struct Run {
        let name: String
        let result: Command.Result
        let files: [String: String]

        var lines: [String] { result.output.split(separator: "\n").sorted().map(String.init) }
    }

    private func run(_ arguments: String, files: [String: String] = [:], _ programs: [String] = ["curl", "tern"])
        async throws -> [Run]
    {
        var runs: [Run] = []
        for name in programs {
            let place = folder.url.appending(path: name)
            try? FileManager.default.removeItem(at: place)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
            for (file, content) in files { try Data(content.utf8).write(to: place.appending(path: file)) }
            let program = name == "curl" ? "curl" : try TernTool.executable.path
            let result = try await Command.run(
                ["sh", "-c", #"cd "$1" && "$0" --no-progress-meter "# + arguments, program, place.path],
                environment: TernTool.environment)
            let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
            let contents = try names.map { try String(contentsOf: place.appending(path: $0), encoding: .utf8) }
            runs.append(
                Run(name: name, result: result, files: Dictionary(uniqueKeysWithValues: zip(names, contents))))
        }
        return runs
    }

    @Test(
        "a group has options of its own, and shares what is global",
        arguments: [
            "URL/a --next -d x URL/b", "-H 'X: 1' URL/a URL/b --next -H 'Y: 2' URL/c", "-X PUT -d z URL/a -: URL/b",
            "-u a:b URL/a --next URL/b", "-I URL/a --next URL/b", "-G -d q=1 URL/a --next -d q=1 URL/b",
            "URL/status/404 --next -f URL/status/404", "--next URL/a", "-H 'X: 1' --next URL/a --next --next URL/b",
            "-o one URL/a --next -o two URL/b URL/c",
            "-d x URL/a --next -T f -H Expect: URL/up/ --next --json '{}' URL/c",
            "-I -w '%{num_connects}\\n' URL/a URL/b",
            "-w '%{urlnum} %{num_connects}\\n' URL/a URL/b --next -w '%{urlnum} %{num_connects}\\n' URL/c",
            "-K config", "-K config --next -H 'Z: 3' URL/d", "-m 5 -L URL/redirect --next -m 6 URL/redirect",
            "-Z URL/a --next -o f2 -d x URL/b",
            "-sf URL/status/404 --next -f URL/status/500", "-f URL/status/404 --next -sS -f URL/status/500",
            "-D heads URL/a --next URL/b", "-i URL/a --next -D - URL/b", "-r 0-1 'URL/{a,b}' -: 'URL/[1-2]'",
            "-X PUT -X OPTIONS URL/a --next -X DELETE URL/b",
        ])
    func groups(arguments: String) async throws {
        let origin = try EchoOrigin.start()
        let config = "url = \(origin.url("/k"))\nheader = \"X: k\"\nnext\nurl = \(origin.url("/l"))\ndata = m\n"
        let runs = try await run(
            arguments.replacing("URL", with: origin.url("")), files: ["f": "up", "config": config])
        #expect(runs[1].result.status == runs[0].result.status, "\(runs[1].result.errors)")
        #expect(runs[1].result.output == runs[0].result.output)
        #expect(runs[1].files == runs[0].files)
        let errors = runs.map { $0.result.errors.split(separator: "\n").count { $0.contains("(") } }
        #expect(errors[0] == errors[1], "\(runs[1].result.errors)")
    }

    @Test func `many bodies for a device take as many descriptors as there are at a time`() async throws {
        let origin = try ScriptedOrigin { _, request in request.target.hasSuffix("7") ? [.close] : [.ok("x")] }
        let run = try await Command.run(
            [
                "sh", "-c", #"ulimit -n 64; "$0" get -Zs --parallel-max 8 -w '%{exitcode} ' -o /dev/null "$1/[0-299]""#,
                TernTool.executable.path, origin.url(""),
            ], environment: TernTool.environment)
        let codes = run.output.split(separator: " ")
        #expect(codes.count == 300 && Set(codes) == ["0", "52"], "\(Set(codes)) \(run.errors)")
    }

    @Test func `cookies are shared by the groups that keep some, and by no others`() async throws {
        let origin = try ScriptedOrigin { _, request in
            [.respond(fields: request.target == "/set" ? [("Set-Cookie", "k=v")] : [], body: "\n")]
        }
        let url = origin.url("")
        for run in try await run("-c jar \(url)/set --next \(url)/a --next -b none \(url)/b") {
            let cookies = origin.requests.suffix(3).map { $0.value(of: "Cookie") }
            #expect(cookies == [nil, nil, "k=v"], "\(run.name): \(run.result.errors)")
            #expect(run.files["jar"]?.contains("\tk\tv") == true, "\(run.name)")
        }
    }

    @Test func `groups with other proxies or trust have sessions of their own, with one rate and one HSTS file`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.ok("x")] }
        let url = origin.url("/")
        let start = ContinuousClock.now
        let runs = try await run(
            "--rate 10/s --hsts h \(url) --next --hsts h --noproxy '*' -4 \(url) --next -x http://127.0.0.1:1 \(url) "
                + "--next --hsts h -k \(url)", ["tern"])
        #expect(ContinuousClock.now - start >= .seconds(0.2))
        #expect(runs[0].result.output == "xxx" && runs[0].result.errors.contains("(7)"), "\(runs[0].result.errors)")
    }

    @Test(
        "transfers side by side have the files, the output and the status of curl's",
        arguments: [
            "-Z -o 'f#1' 'URL/[1-70]'", "-Z --parallel-max 3 -O 'URL/[a-k]' -O URL/x",
            "-Z --remote-name-all URL/1 URL/2",
            "-Z --parallel-max 301 URL/a", "-Z --parallel-max 0 URL/a", "-Z --no-parallel URL/a URL/b",
            "-Z -o /dev/null -w '%{http_code} %{urlnum}\\n' 'URL/status/[200-220]' -o /dev/null",
            "-Z --no-clobber -o f 'URL/[1-3]'", "-Z -f URL/status/404 URL/a", "-Z -f -o 1 URL/status/404 -o 2 URL/a",
            "-Z -d x -o 'p#1' 'URL/[1-9]' --next -o '#1' -H Expect: -T f 'URL/{up,down}/'",
            "--parallel --parallel-immediate -K urls",
            "-Z -f --retry 1 --retry-delay 1 -o /dev/null -w '%{http_code}\\n' URL/status/503 URL/a",
            "-Z URL/a 'http://bad host/' URL/b", "-Z --proto =http URL/a https://127.0.0.1:1/ URL/b",
            "-Z -I 'URL/[1-4]'", "-Z -iL -o 'f#1' 'URL/redirect?[1-5]'",
        ])
    func parallel(arguments: String) async throws {
        let origin = try EchoOrigin.start()
        let urls = (1...120).map { "url = \"\(origin.url("/k\($0)"))\"\noutput = \"k\($0)\"\n" }.joined()
        let runs = try await run(arguments.replacing("URL", with: origin.url("")), files: ["f": "up", "urls": urls])
        #expect(runs[1].result.status == runs[0].result.status, "\(runs[1].result.errors)")
        #expect(runs[1].lines == runs[0].lines)
        #expect(Set(runs[1].files.keys) == Set(runs[0].files.keys))
        // Of two transfers, either may get a name first.
        if arguments.contains("clobber") {
            #expect(runs[1].files.values.sorted() == runs[0].files.values.sorted())
        } else {
            #expect(runs[1].files == runs[0].files)
        }
    }

    @Test func `as many transfers as --parallel-max says run at a time, and each body on standard output is whole`()
        async throws
    {
        let running = Lock(0)
        let most = Lock(0)
        let origin = try ScriptedOrigin { _, request in
            let count = running.withLock {
                $0 += 1
                return $0
            }
            most.withLock { $0 = max($0, count) }
            // Three wait for each other; with fewer at a time, this takes until the limit.
            for _ in 0..<2000 where most.withLock({ $0 }) < 3 { usleep(1000) }
            running.withLock { $0 -= 1 }
            return [.ok(String(repeating: String(request.target.suffix(1)), count: 20_000) + "\n")]
        }
        let runs = try await run("-Z --parallel-max 3 '\(origin.url("/"))[a-l]'", ["tern"])
        #expect(most.withLock { $0 } == 3)
        #expect(runs[0].lines == "abcdefghijkl".map { String(repeating: String($0), count: 20_000) })
    }

    @Test func `transfers for which there are no descriptors wait for one that ends`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("x")] }
        let words = ["-sS", "-Z", "--parallel-max", "100", origin.url("/[1-200]")]
        let limited = ["bash", "-c", "ulimit -n 40 && exec \"$0\" \"$@\"", try TernTool.executable.path]
        let result = try await Command.run(limited + words)
        #expect(result.status == 0 && result.output.count == 200, "\(result.errors)")
    }

    @Test func `--fail-early cancels what runs, and has the first failure's status`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/no" ? [.respond(status: 404)] : [.send("HTTP/1.1 200 OK\r\n\r\nx"), .hold]
        }
        let runs = try await run(
            "-Z -f --fail-early -m 20 -o a \(origin.url("/hold")) -o b \(origin.url("/no")) -o c \(origin.url("/no"))",
            ["tern"])
        #expect(runs[0].result.status == 22 && runs[0].files.isEmpty, "\(runs[0].result.errors)")
    }

    @Test(
        "what cannot be is refused before anything is sent",
        arguments: [
            "URL --next", "URL --next -A x", "-Z --parallel-max x URL", "-Z --parallel-max -1 URL",
            "URL --next -d @/nowhere URL", "-d @- URL --next -T - URL",
            "URL --next --cacert /nowhere https://127.0.0.1:1/",
        ])
    func refused(arguments: String) async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("x")] }
        let runs = try await run(arguments.replacing("URL", with: origin.url("/")) + " < /dev/null", ["tern"])
        #expect([2, 26, 77].contains(runs[0].result.status) && origin.requests.isEmpty, "\(runs[0].result.errors)")
    }

    @Test func `a terminal shows one line for all, and lines of errors apart`() async throws {
        let origin = try EchoOrigin.start()
        let tool = try TernTool.executable.path
        let line = "\(tool) -Z -f -o 'f#1' '\(origin.url("/"))[1-9]' -o g \(origin.url("/status/404"))"
        let text = try await Command.run(
            ["sh", "-c", #"cd "$1" && script -qec "$0" /dev/null"#, line, folder.url.path],
            environment: TernTool.environment
        ).output
        #expect(text.contains("10 done, 0 running") && text.contains("tern: (22) "), "\(text)")
        #expect(!text.contains("100 %"))
    }

    @Test func `a signal ends all`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/a" ? [.ok("x")] : [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .hold]
        }
        // The signal comes when the first file is there and the second is open.
        let shell =
            #"cd "$2"; sh -c '( until [ -e a ] && ls -l /proc/$$/fd 2>&1 | grep -q "\.tern-\|(deleted)"; do :; done; "#
            + #"kill -INT $$ ) & exec "$0" -Z -m 20 -o a "$1"a -o b "$1"b' "$0" "$1"; echo $?; ls -A"#
        let result = try await Command.run(
            ["sh", "-c", shell, try TernTool.executable.path, origin.url("/"), folder.url.path],
            environment: TernTool.environment)
        #expect(result.output == "130\na\n", "\(result.errors)")
    }
}
