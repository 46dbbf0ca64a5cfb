// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestPrograms
import Testing

@Suite(.serialized) struct UploadCommandTests {
    private static let content = Pattern.bytes(3_000_000)

    @Test func `a file is sent with PUT to its own name, and lines show the progress`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok("\(request.method) \(request.target)")] }
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.content, to: "a b.bin")
        let result = try await TernTool.run("upload", file, origin.url("/in/"))
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.text == "PUT /in/a%20b.bin")
        #expect(origin.requests.first.map { Data($0.body) } == Self.content)
        let lines = result.errors.split(separator: "\n")
        #expect(lines.last?.hasPrefix("tern: 100 %  2.8 MB of 2.8 MB  ") == true, "\(result.errors)")
        #expect(lines.count <= 10 && lines.allSatisfy { $0.hasPrefix("tern: ") })
    }

    @Test func `on a terminal there is a bar`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok("fine")] }
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.content, to: "a.bin")
        let command = "'\(try TernTool.executable.path)' upload '\(file)' \(origin.url("/a"))"
        let result = try await Command.run(
            ["script", "-qec", command, "/dev/null"], environment: TernTool.environment)
        #expect(result.status == 0)
        #expect(result.output.contains("[##############################] 100 %  2.8 MB of 2.8 MB"))
        #expect(result.output.contains("fine"))
    }

    @Test func `silent mode, another method, standard input and the response's own options work as elsewhere`()
        async throws
    {
        let origin = try EchoOrigin.start()
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.content, to: "a.bin")
        let answer = folder.url.path + "/answer"
        let result = try await TernTool.run(
            "upload", file, origin.url("/a"), "-s", "-X", "POST", "-o", answer, "-H", "X-A: b", "-w", "%{size_upload}")
        #expect(result.errors.isEmpty)
        #expect(result.text == "3000000")
        #expect(try String(contentsOfFile: answer, encoding: .utf8).contains("x-a: b"))
        #expect(origin.requests.last?.method == "POST")
        let shell = try await Command.run(
            ["sh", "-c", "cat \"$1\" | \"$0\" upload - \"$2\"", TernTool.executable.path, file, origin.url("/b")],
            environment: TernTool.environment)
        #expect(shell.status == 0)
        #expect(shell.errors.contains("tern: 2.8 MB  "), "\(shell.errors)")
        #expect(origin.requests.last?.body.count == Self.content.count)
        #expect(origin.requests.last?.value(of: "transfer-encoding") == "chunked")
    }

    @Test func `a failure is reported, and exits as elsewhere`() async throws {
        let origin = try EchoOrigin.start()
        let missing = try await TernTool.run("upload", "/nowhere/x.bin", origin.url("/"))
        #expect(missing.status == 26)
        #expect(missing.errors.contains("/nowhere/x.bin"))
        let refused = try await TernTool.run("upload", "/etc/hostname", origin.url("/status/500"), "-f")
        #expect(refused.status == 22)
        let absent = try await TernTool.run("upload", "/etc/hostname", "http://127.0.0.1:1/")
        #expect(absent.status == 7)
    }
}
