// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing

/// What `--retry` makes of a file to which `-C` adds.
@Suite struct ContinuedFileTests {
    private static let content = "0123456789abcdefghij"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Breaks off after this many bytes of the first answers.
    private func origin(
        _ breaks: [Int], tags: [String] = ["\"one\""], ignoresRanges: Bool = false, answers: [Int: Int] = [:]
    ) throws -> ScriptedOrigin {
        let count = AttemptCount()
        return try ScriptedOrigin { _, request in
            let number = count.next() - 1
            if let status = answers[number] { return [.respond(status: status, body: "not now")] }
            let tag = number < tags.count ? tags[number] : tags.last ?? ""
            let asked = request.value(of: "Range").flatMap { Int($0.dropFirst(6).dropLast()) }
            let isSame = !ignoresRanges && request.value(of: "If-Range").map { $0 == tag } ?? true
            let start = isSame ? asked : nil
            let body = Self.content.dropFirst(start ?? 0)
            let line = start.map { "206 P\r\nContent-Range: bytes \($0)-19/20" } ?? "200 OK"
            let field = tag.isEmpty ? "" : "ETag: \(tag)\r\n"
            let head = "HTTP/1.1 \(line)\r\n\(field)Content-Length: \(body.count)\r\n\r\n"
            guard number < breaks.count else { return [.send(head + body)] }
            return [.send(head + body.prefix(breaks[number])), .close]
        }
    }

    private func run(
        _ origin: ScriptedOrigin, _ options: String, with file: String? = nil
    ) async throws -> (result: TernTool.Result, file: String?) {
        let path = folder.url.appending(path: "f").path
        if let file { _ = try folder.write(file, to: "f") }
        let words =
            ["-o", path, "--retry", "3", "--retry-delay", "0.01"] + options.split(separator: " ").map(String.init)
        let result = try await TernTool.run(words + [origin.url("/")])
        return (result, try? String(contentsOfFile: path, encoding: .utf8))
    }

    private func ranges(_ origin: ScriptedOrigin) -> [String] {
        origin.requests.map { ($0.value(of: "Range") ?? "") + ($0.value(of: "If-Range") ?? "") }
    }

    @Test func `a file that breaks off is continued where it stopped`() async throws {
        let origin = try origin([5, 3])
        let (result, file) = try await run(origin, "-s -C - -w %{num_retries},%{size_download}")
        #expect(result.status == 0 && result.text == "2,12", "\(result.errors)")
        #expect(file == Self.content)
        #expect(ranges(origin) == ["", "bytes=5-\"one\"", "bytes=8-\"one\""])
    }

    @Test func `the file of an earlier command is continued, and each retry is told`() async throws {
        let origin = try origin([5], tags: [""], answers: [1: 503])
        let (result, file) = try await run(origin, "-C - -v", with: "0123")
        #expect(result.status == 0 && file == Self.content, "\(result.errors)")
        #expect(ranges(origin) == ["bytes=4-", "bytes=9-", "bytes=9-"])
        let warnings = [
            "Warning: Problem : partial file. Will retry in 0.01 seconds. 3 retries left.",
            "Warning: Problem : HTTP error. Will retry in 0.01 seconds. 2 retries left.",
        ]
        let lines = result.errors.split(separator: "\n").map(String.init)
        #expect(lines.filter { $0.hasPrefix("Warning") } == warnings)
        #expect(
            lines.contains(
                "* the server answered 503 to \(origin.url("/")). Will retry in 0.01 seconds. 2 retries left."))
        #expect(lines.contains { $0.hasPrefix("tern: (18) ") })
    }

    @Test(
        "what comes whole takes the place of what this command has begun",
        arguments: [(["\"one\"", "\"two\""], false), (["\"one\""], true), ([""], true)])
    func whole(tags: [String], ignoresRanges: Bool) async throws {
        let origin = try origin([5], tags: tags, ignoresRanges: ignoresRanges)
        let (result, file) = try await run(origin, "-s -C -", with: "")
        #expect(result.status == 0 && file == Self.content, "\(result.errors)")
        #expect(origin.requests.count == 2)
    }

    @Test func `the beginning that a file had is not given up for another one`() async throws {
        let changed = try origin([5], tags: ["\"one\"", "\"two\""])
        let (result, file) = try await run(changed, "-sS -C -", with: "0123")
        #expect(result.status == 33 && file == "012345678", "\(result.errors)")
        #expect(ranges(changed) == ["bytes=4-", "bytes=9-\"one\""])
    }

    @Test func `from an offset each attempt begins again, where curl begins`() async throws {
        let origin = try origin([5, 3])
        let (result, file) = try await run(origin, "--retry-all-errors -C 4", with: "x")
        #expect(result.status == 0 && file == "x456789abcdefghij", "\(result.errors)")
        #expect(ranges(origin) == ["bytes=4-", "bytes=4-", "bytes=4-"])
        #expect(result.errors.contains("Throwing away 5 bytes\n") && result.errors.contains("Throwing away 3 bytes\n"))
        #expect(result.errors.contains("Warning: Problem (retrying all errors). Will retry in 0.01 seconds. 3 retries"))
    }

    @Test(
        "what has come of a body that breaks off is left where nothing was",
        arguments: [
            ("", nil, "01234"), ("", "old", "old"), ("--remove-on-error", nil, nil), ("--no-clobber", "old", "old"),
            ("-f --max-filesize 3", nil, nil),
        ] as [(String, String?, String?)])
    func part(options: String, before: String?, after: String?) async throws {
        let path = folder.url.appending(path: "f").path
        if let before { _ = try folder.write(before, to: "f") }
        let origin = try origin([5])
        let result = try await TernTool.run(
            ["-s", "-o", path] + options.split(separator: " ").map(String.init) + [origin.url("/")])
        #expect(result.status == (options.hasSuffix("3") ? 63 : 18), "\(result.errors)")
        #expect((try? String(contentsOfFile: path, encoding: .utf8)) == after)
        if options == "--no-clobber" { #expect(try String(contentsOfFile: path + ".1", encoding: .utf8) == "01234") }
    }

    @Test func `a time limit holds for each attempt, and the waits are no part of it`() async throws {
        let count = AttemptCount()
        let origin = try ScriptedOrigin { _, _ in count.next() < 3 ? [.hold] : [.ok("late")] }
        let result = try await TernTool.run(
            "-s", "-m", "0.3", "--retry", "3", "--retry-delay", "0.2", "-w", ",%{num_retries}", origin.url("/"))
        #expect(result.status == 0 && result.text == "late,2", "\(result.errors)")
        let part = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart"), .hold]
        }
        let file = folder.url.appending(path: "f").path
        let slow = try await TernTool.run(
            "-sS", "-m", "0.3", "--retry", "1", "--retry-delay", "0.01", "-o", file, part.url("/"))
        #expect(slow.status == 28 && part.requests.count == 2, "\(slow.errors)")
        #expect(slow.errors.contains("the time limit of 0.3 s passed (--max-time) after 4 bytes of the body"))
    }

    @Test func `a transfer that is too slow for -Y and -y ends`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart"), .hold]
        }
        let result = try await TernTool.run("-sS", "-Y", "100", "-y", "1", origin.url("/"))
        #expect(result.status == 28 && result.text == "part", "\(result.errors)")
        #expect(result.errors == "tern: (28) fewer than 100 bytes a second passed for 1 s (--speed-limit)\n")
    }

    @Test func `heads in the file are no part of it`() async throws {
        let origin = try origin([5])
        let (result, file) = try await run(origin, "-s -i --retry-all-errors -C -")
        #expect(result.status == 0 && ranges(origin) == ["", ""], "\(result.errors)")
        #expect(file?.hasPrefix("HTTP/1.1 200") == true && file?.hasSuffix("\r\n\r\n" + Self.content) == true)
    }

    @Test func `the repeat of a request on a dead connection is told with -v`() async throws {
        let count = AttemptCount()
        let origin = try ScriptedOrigin { _, _ in count.next() == 2 ? [.close] : [.ok("ok")] }
        let result = try await TernTool.run("-sv", origin.url("/a"), origin.url("/b"))
        #expect(result.status == 0 && result.text == "okok")
        let lines = result.errors.split(separator: "\n").map(String.init)
        let place = try #require(
            lines.firstIndex(of: "* Connection died, retrying a fresh connect (retry count: 1)"), "\(result.errors)")
        #expect(lines[place + 1] == "* Issue another request to this URL: '\(origin.url("/b"))'")
        #expect(lines.filter { $0.hasPrefix("> GET /b ") }.count == 2)
    }
}
