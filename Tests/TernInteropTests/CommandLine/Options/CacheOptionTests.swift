// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernTesting
import TestPrograms
import Testing

/// Nothing that happens to the files of `--cache` makes a request fail.
@Suite(.timeLimit(.minutes(1))) struct CacheOptionTests {
    private let folder: TemporaryFolder
    private let origin: ScriptedOrigin
    private let body = String(repeating: "x", count: 100_000)

    init() throws {
        folder = try TemporaryFolder()
        origin = try ScriptedOrigin { [body] _, _ in
            [.respond(fields: [("Cache-Control", "max-age=600")], body: body)]
        }
    }

    private var path: String { folder.url.appending(path: "cache").path }

    /// In a shell, in which `$0` is the tool, `$1` the folder and `$2` the URL.
    private func run(_ command: String) async throws -> Command.Result {
        try await Command.run(
            ["bash", "-c", command, try TernTool.executable.path, path, origin.url("/")],
            environment: TernTool.environment)
    }

    @Test(.enabled(if: !TernTool.isThreadSanitized))
    func `on a full disk the body arrives, and a warning tells that it was not stored`() async throws {
        let full = try await run("ulimit -f 64; exec \"$0\" -sS --cache \"$1\" \"$2\"")
        #expect(full.status == 0 && full.output == body)
        let told = try await run("ulimit -f 64; exec \"$0\" --cache \"$1\" \"$2\"")
        #expect(told.status == 0 && told.output == body)
        #expect(told.errors.contains("tern: warning: --cache: not all responses were stored: "), "\(told.errors)")
        #expect(origin.requests.count == 2)
        let download = try await run("ulimit -f 128; \"$0\" download --cache \"$1\" -o \"$1/../file\" \"$2\"")
        #expect(download.status == 0, "\(download.errors)")
    }

    @Test(
        "a folder that cannot be used costs its cache, and no request",
        arguments: [
            ("echo tern-cache 2 >\"$1/tern-cache\"", "was created by another version of the cache"),
            ("chmod 777 \"$1\"", "others may write to"),
            ("rm -r \"$1\"; mkdir \"$1\"; mkdir -p \"$1/tern-cache/x\"", "cannot use"),
            ("rm -r \"$1\"; ln -s /proc/none \"$1\"", nil),
            ("for f in $(find \"$1\" -type f); do rm $f; mkfifo $f; done", ""),
            ("for f in $(find \"$1\" -type f); do rm $f; ln -s /dev/zero $f; done", ""),
            ("for f in $(find \"$1\" -type f); do : >$f; done", ""),
            ("for f in $(find \"$1\" -type f); do head -c 20 /dev/urandom >$f; done", ""),
            ("for f in $(find \"$1\" -type f); do rm $f; mkdir $f; done", "cannot use"),
            ("for f in $(find \"$1\" -mindepth 2 -type f); do rm $f; ln -sf ../none $f.lock; done", ""),
        ] as [(String, String?)])
    func unusable(change: String, warning: String?) async throws {
        #expect(try await run("\"$0\" --cache \"$1\" \"$2\"").output == body)
        for _ in 0..<2 {
            let result = try await run("\(change); exec \"$0\" --cache \"$1\" \"$2\"")
            // What is no folder is a wrong argument.
            guard let warning else { return #expect(result.status == 23) }
            #expect(result.status == 0 && result.output == body, "\(result.errors)")
            if !warning.isEmpty {
                #expect(result.errors.contains(warning) && result.errors.contains("tern: warning: --cache: "))
            } else {
                #expect(!result.errors.contains("warning"), "\(result.errors)")
            }
        }
    }

    @Test(arguments: [200, 304])
    func `what answered while it was stale is confirmed before the command ends`(status: Int) async throws {
        let count = Atomic<Int>(0)
        let server = try ScriptedOrigin { _, request in
            let number = count.add(1, ordering: .relaxed).newValue
            let control = number == 1 ? "max-age=0, stale-while-revalidate=600" : "max-age=600"
            let fields = [("Cache-Control", control), ("ETag", "\"1\"")]
            if request.value(of: "If-None-Match") == nil { return [.respond(fields: fields, body: "1")] }
            return [.respond(status: status, fields: fields, body: status == 200 ? "2" : "")]
        }
        var bodies: [String] = []
        for _ in 0..<3 { bodies.append(try await TernTool.run("--cache", path, server.url("/")).text) }
        #expect(bodies == ["1", "1", status == 200 ? "2" : "1"])
        #expect(server.requests.count == 2)
    }
}
