// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestPrograms
import Testing

/// Bodies on a terminal, of which `script` makes one.
@Suite struct BodySinkTests {
    private func onTerminal(_ arguments: String) async throws -> Command.Result {
        let tool = try TernTool.executable.path
        return try await Command.run(
            ["script", "-qec", "'\(tool)' \(arguments)", "/dev/null"], environment: TernTool.environment)
    }

    @Test func `a body that steers is not shown on a terminal, unless it is asked for`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("before \u{1b}]0;owned\u{7}")] }
        let refused = try await onTerminal("get \(origin.url("/"))")
        #expect(refused.status == 23)
        #expect(refused.output.contains("mess up your terminal"))
        #expect(!refused.output.contains("\u{1b}"))
        for choice in ["-o -", "-o /dev/stdout"] {
            let shown = try await onTerminal("get \(choice) \(origin.url("/"))")
            #expect(shown.status == 0)
            #expect(shown.output.contains("\u{1b}]0;owned"))
        }
        let piped = try await TernTool.run("get", origin.url("/"))
        #expect(piped.status == 0)
        #expect(piped.text == "before \u{1b}]0;owned\u{7}")
    }

    @Test func `text is shown on a terminal`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("gr\u{fc}n\tund\ngut")] }
        let shown = try await onTerminal("get \(origin.url("/"))")
        #expect(shown.status == 0)
        #expect(shown.output.contains("gr\u{fc}n\tund"))
    }
}

/// A file that `-o` names is replaced by a whole body, and by nothing less.
@Suite struct TemporaryFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("old", to: "file")
    }

    /// In a shell, in which `$0` is the tool and `$1` the URL; in the folder.
    private func run(_ url: String, _ command: String) async throws -> Command.Result {
        try await Command.run(
            ["sh", "-c", "cd '\(folder.url.path)'; " + command, try TernTool.executable.path, url],
            environment: TernTool.environment)
    }

    @Test(arguments: 4...9)
    func `a command that runs out of descriptors ends with a sentence and leaves the file`(count: Int) async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("new")] }
        let result = try await run(origin.url("/"), "ulimit -n \(count); \"$0\" -sS -m 20 -o file \"$1\"")
        #expect(result.status < 127 && result.errors.isEmpty == (result.status == 0))
        #expect(try contents() == (result.status == 0 ? "new" : "old"))
        #expect(try names == ["file"])
    }

    private var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path) } }

    private func contents() throws -> String {
        try String(contentsOfFile: folder.url.appending(path: "file").path, encoding: .utf8)
    }

    @Test func `a file stays when there is no answer, half an answer, or none in time, and where none was is the half`()
        async throws
    {
        let half = try ScriptedOrigin { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close] }
        let slow = try ScriptedOrigin { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .hold] }
        let refused = "http://127.0.0.1:\(try LoopbackPort.free().number)/"
        for url in [half.url("/"), slow.url("/"), refused] {
            #expect([7, 18, 28].contains(try await run(url, #""$0" get "$1" -o file --max-time 0.5"#).status))
            #expect(try contents() == "old")
            #expect([7, 18, 28].contains(try await run(url, #""$0" get "$1" -o new --max-time 0.5"#).status))
        }
        #expect(try await run("http://[nonsense", #""$0" get "$1" -o file"#).status == 3)
        #expect(try contents() == "old")
        #expect(try names.sorted() == ["file", "new"])
    }

    @Test(.disabled(if: TernTool.isThreadSanitized, "ThreadSanitizer ends a process whose files may not grow"))
    func `a disk that is full leaves the file as it was`() async throws {
        let server = try await NginxServer(files: ["big": Data(repeating: 0x61, count: 3_000_000)])
        let result = try await run(server.url("/big"), #"ulimit -f 8; "$0" get "$1" -o file"#)
        #expect(result.status == 23)
        #expect(result.errors.contains("File too large"))
        #expect(try contents() == "old")
        #expect(try names == ["file"])
    }

    @Test(arguments: [("INT", 130), ("TERM", 143), ("HUP", 129)])
    func `a signal ends the command as it ends others, and leaves the file as it was`(
        signal: String, status: Int
    ) async throws {
        let origin = try ScriptedOrigin { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .hold] }
        // The signal comes when the file is open, which has no name yet. The inner shell becomes the command.
        let result = try await run(
            origin.url("/"),
            #"sh -c '( until ls -l /proc/$$/fd 2>&1 | grep -q "\.tern-\|(deleted)"; do :; done; kill -\#(signal) $$ ) & "#
                + #"exec "$0" get "$1" -o file' "$0" "$1"; echo $?"#)
        #expect(result.output.split(separator: "\n").last == "\(status)")
        #expect(try contents() == "old")
        #expect(try names == ["file"])
    }

    @Test func `a signal ends the command at its second file, too`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/a" ? [.ok("x")] : [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .hold]
        }
        // The signal comes when the first file is there and the second is open.
        let result = try await run(
            origin.url("/"),
            #"sh -c '( until [ -e a ] && ls -l /proc/$$/fd 2>&1 | grep -q "\.tern-\|(deleted)"; do :; done; kill -INT $$ ) & "#
                + #"exec "$0" -m 20 -o a "$1"a -o b "$1"b' "$0" "$1"; echo $?"#)
        #expect(result.output == "130\n", "\(result.errors)")
        #expect(try names.sorted() == ["a", "file"])
    }

    @Test func `the file keeps its permissions, a new one gets the umask's`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("new")] }
        let result = try await run(
            origin.url("/"),
            #"chmod 640 file; umask 027; "$0" get "$1" -o file; "$0" get "$1" -o made; stat -c %a file made"#)
        #expect(result.output == "640\n640\n")
        #expect(
            try await run(origin.url("/"), #"umask 022; chmod 4751 file; "$0" get "$1" -o file; stat -c %a file"#)
                .output == "751\n")
        #expect(try contents() == "new")
        #expect(try names.sorted() == ["file", "made"])
    }

    @Test func `a hard link is not cut`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("n")] }
        let result = try await run(origin.url("/"), #"ln file twin; "$0" get "$1" -o file; cat twin; stat -c %h file"#)
        #expect(result.output == "n2\n")
        #expect(try names.sorted() == ["file", "twin"])
    }

    @Test func `half an answer does not touch a file that is written in place`() async throws {
        let half = try ScriptedOrigin { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close] }
        #expect(try await run(half.url("/"), #"ln file twin; "$0" get "$1" -o file"#).status == 18)
        #expect(try contents() == "old")
        #expect(try names.sorted() == ["file", "twin"])
    }
}
