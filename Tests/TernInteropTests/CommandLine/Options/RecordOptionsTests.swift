// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestPrograms
import Testing

@testable import TernCLI

/// What `--har`, `--timeline` and `--timeline-svg` write.
@Suite(.timeLimit(.minutes(1))) struct RecordOptionsTests {
    private static let secret = "S3CRET"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> String { folder.url.appending(path: name).path }

    private func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            request.target.hasPrefix("/moved")
                ? [.respond(status: 302, fields: [("Location", "/end?access_token=\(Self.secret)")], body: "")]
                : [.respond(fields: [("Server-Timing", "db;dur=2")], body: "end")]
        }
    }

    private func statuses(_ name: String) throws -> [Int] {
        let data = try Data(contentsOf: URL(filePath: path(name)))
        let archive = try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]]
        let entries = archive?["log"]?["entries"] as? [[String: Any]] ?? []
        return entries.compactMap { ($0["response"] as? [String: Any])?["status"] as? Int }
    }

    @Test func `all requests of a run are recorded, in all forms at once and without a secret`() async throws {
        let origin = try origin()
        let url = origin.url("/moved?access_token=\(Self.secret)").replacing(
            "http://", with: "http://me:\(Self.secret)@")
        let result = try await TernTool.run(
            "get", "-s", "-L", "-b", "a=\(Self.secret)", "-H", "Authorization: Bearer \(Self.secret)", "--har",
            path("a.har"), "--timeline", "--timeline-svg", path("a.svg"), url, origin.url("/other"))
        #expect(result.status == 0 && result.text == "endend")
        #expect(try statuses("a.har") == [302, 200, 200])
        let har = try String(contentsOfFile: path("a.har"), encoding: .utf8)
        let svg = try String(contentsOfFile: path("a.svg"), encoding: .utf8)
        #expect(svg.hasPrefix("<svg ") && svg.contains("server: db 2 ms") && svg.contains("/other"))
        let lines = result.errors.split(separator: "\n")
        #expect(lines.filter { $0.contains("server: db 2 ms") }.count == 2)
        #expect(lines.contains { $0.hasPrefix("attempt 1: 302, redirect: GET http://") })
        #expect(lines.allSatisfy { $0.count <= 80 })
        for text in [har, svg, result.errors] { #expect(!text.contains(Self.secret)) }
    }

    @Test(arguments: ["head", "post", "put", "patch", "delete", "request", "download", "upload"])
    func `each command that makes requests has the options`(command: String) async throws {
        let origin = try origin()
        let operands = command == "upload" ? [path("a"), origin.url("/end")] : [origin.url("/end")]
        try folder.write("content", to: "a")
        let output = command == "download" ? ["-o", path("b")] : []
        let result = try await TernTool.run(
            [command, "-s", "--har", path("a.har"), "--timeline"] + output + operands)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try statuses("a.har") == [200])
        #expect(result.errors.contains("attempt 1: 200: "))
    }

    @Test func `a run that fails is recorded, too`() async throws {
        let origin = try origin()
        origin.stop()
        let result = try await TernTool.run("get", "-s", "--har", path("a.har"), "--timeline", origin.url("/"))
        #expect(result.status == 7)
        #expect(try statuses("a.har") == [0])
        #expect(result.errors.contains("unreachable in "))
    }

    @Test(arguments: ["--har", "--timeline-svg"])
    func `a file that cannot be written fails the run before anything is sent`(option: String) async throws {
        let origin = try origin()
        let result = try await TernTool.run("get", option, path("none/a"), origin.url("/"))
        #expect(result.status == 23)
        #expect(result.errors.hasPrefix("tern: (23) \(option): cannot write \(path("none/a")): No such file"))
        #expect(origin.connectionCount == 0)
    }

    @Test func `a dash is standard output`() async throws {
        let origin = try origin()
        let result = try await TernTool.run("get", "-s", "--har", "-", "-o", path("b"), origin.url("/"))
        #expect(result.status == 0 && result.text.hasPrefix(#"{"log":{"#))
    }
}
