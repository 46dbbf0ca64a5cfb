// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing
import TestPrograms

/// The page "Pinning without breaking your app": every command on it, run from top to bottom.
@Suite struct PinningPageTests {
    /// A line of a shell block, and its expected exit code.
    private struct Step {
        let command: String
        let status: Int32
    }

    private static var page: String {
        get throws {
            let root = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
            let file = root.appending(path: "Sources/Tern/Tern.docc/PinningWithoutBreakingYourApp.md")
            return try String(contentsOf: file, encoding: .utf8)
        }
    }

    /// The contents of the page's code blocks in one language.
    private static func blocks(_ language: String) throws -> [String] {
        try page.components(separatedBy: "```\(language)\n").dropFirst().compactMap {
            $0.components(separatedBy: "\n```").first
        }
    }

    @Test func `every command ends as the page says`() async throws {
        let server = try await NginxServer()
        let folder = try TemporaryFolder()
        let backup = try CertificateAuthority().issue().pin
        let policy = try #require(try Self.blocks("json").first)
            .replacing("sha256/LEAF", with: server.identity.pin).replacing("sha256/BACKUP", with: backup)
            .replacing("api.example.com", with: "localhost")
        let renewed = try server.authority.issue()
        let wrong = policy.replacing(server.identity.pin, with: try CertificateAuthority().pin)
        try folder.write(policy, to: "policy.json")
        try folder.write(wrong, to: "wrong-report-only.json")
        try folder.write(wrong.replacing("reportOnly", with: "enforce"), to: "wrong.json")
        try folder.write(policy.replacing(backup, with: renewed.pin), to: "rotated.json")
        try folder.write(renewed.chainPEM, to: "new-chain.pem")
        try folder.write(#"{"id":1,"chain":[]}"#, to: "cases.jsonl")
        try folder.write(server.authority.certificatePEM, to: "roots.pem")

        let steps = try Self.blocks("sh").joined(separator: "\n").components(separatedBy: "\n").map { line in
            Step(
                command: line.replacing("https://api.example.com/", with: server.secureURL())
                    .replacing("api.example.com:443", with: "127.0.0.1:\(server.securePort)")
                    .replacing("api.example.com", with: "localhost"),
                status: line.hasSuffix("# exits 1") ? 1 : 0)
        }
        #expect(steps.count > 12)
        let tools = try TernTool.executable.deletingLastPathComponent().path
        let setting =
            "cd '\(folder.url.path)'; PATH='\(tools)':$PATH; export SSL_CERT_FILE=roots.pem; "
            + "export ASAN_OPTIONS=\(TernTool.sanitizerOptions); "
        for step in steps {
            let result = try await Command.run(["sh", "-c", setting + step.command])
            #expect(result.status == step.status, "\(step.command)\n\(result.output)")
            if step.command == "tern trust pins backup.key" {
                let pin = result.output.split(separator: " ").first.map(String.init) ?? ""
                try folder.write(policy.replacing(backup, with: pin), to: "policy.json")
            }
            if step.command.contains("report-only") { #expect(result.output.hasPrefix("accept: accepted-unpinned")) }
            if step.command.contains("wrong.json") { #expect(result.output.hasPrefix("refuse: key-not-pinned")) }
        }
        // openssl asks for nothing either, which nginx calls a bad request.
        #expect(server.accessLog.lines.allSatisfy { $0.hasSuffix(" 400 - -") })
    }
}
