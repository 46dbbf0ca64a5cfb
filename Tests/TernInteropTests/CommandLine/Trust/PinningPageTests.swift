// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernTesting
import Testing
import TestPrograms

/// The pages "Pinning without breaking your app" and "A policy for a company": every command on them, run from top to
/// bottom.
@Suite struct PinningPageTests {
    /// A line of a shell block, and its expected exit code.
    private struct Step {
        let command: String
        let status: Int32
    }

    private static func page(_ name: String) throws -> String {
        let root = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        return try String(contentsOf: root.appending(path: "Sources/Tern/Tern.docc/\(name).md"), encoding: .utf8)
    }

    /// The contents of the page's code blocks in one language.
    private static func blocks(_ language: String, of name: String = "PinningWithoutBreakingYourApp") throws -> [String]
    {
        try page(name).components(separatedBy: "```\(language)\n").dropFirst().compactMap {
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

        let steps = try Self.steps(try Self.blocks("sh"), server)
        #expect(steps.count > 12)
        for step in steps {
            let result = try await run(step, in: folder)
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

    /// The commands of shell blocks, for this server. A backslash continues one in the next line.
    private static func steps(_ blocks: [String], _ server: NginxServer) throws -> [Step] {
        blocks.joined(separator: "\n").replacing(" \\\n   ", with: "").components(separatedBy: "\n").map { line in
            Step(
                command: line.replacing("https://api.example.com/", with: server.secureURL())
                    .replacing("api.example.com:443", with: "127.0.0.1:\(server.securePort)")
                    .replacing("api.example.com", with: "localhost"),
                status: line.components(separatedBy: "# exits ").dropFirst().first.flatMap { Int32($0) } ?? 0)
        }
    }

    private func run(_ step: Step, in folder: TemporaryFolder) async throws -> Command.Result {
        let tools = try TernTool.executable.deletingLastPathComponent().path
        let setting =
            "cd '\(folder.url.path)'; PATH='\(tools)':$PATH; export SSL_CERT_FILE=roots.pem; "
            + "export ASAN_OPTIONS=\(TernTool.sanitizerOptions); "
        let result = try await Command.run(["sh", "-c", setting + step.command])
        #expect(result.status == step.status, "\(step.command)\n\(result.output)")
        return result
    }

    @Test func `every command about a company's policy ends as the page says`() async throws {
        let server = try await NginxServer()
        let folder = try TemporaryFolder()
        let (backup, next) = (try CertificateAuthority().issue().pin, try CertificateAuthority().issue().pin)
        let root = server.authority.certificatePEM
        for (name, text) in zip(
            ["company", "company-2", "company-3"], try Self.blocks("json", of: "APolicyForACompany"))
        {
            let policy = text.replacing("sha256/LEAF", with: server.identity.pin)
                .replacing("sha256/BACKUP", with: backup).replacing("sha256/NEXT", with: next)
                .replacing("ROOT", with: root.replacing("\n", with: "\\n"))
                .replacing(
                    "\"hosts\": [\"**.example.com\"]",
                    with: "\"hosts\": [\"localhost\"], \"networks\": [\"127.0.0.0/8\", \"::1/128\"]"
                )
                .replacing("api.example.com", with: "localhost")
            try folder.write(policy, to: name + ".json")
        }
        try folder.write(root, to: "roots.pem")
        let steps = try Self.steps(try Self.blocks("sh", of: "APolicyForACompany"), server)
        #expect(steps.count > 12)
        for step in steps { _ = try await run(step, in: folder) }
        #expect(try String(contentsOf: folder.url.appending(path: "number"), encoding: .utf8) == "2\n")
        // One request: tern get.
        #expect(server.accessLog.lines.count { !$0.hasSuffix(" 400 - -") } == 1)
    }

    @Test func `the members on the page are those of the reader`() throws {
        let page = try Self.page("APolicyForACompany")
        let list = page.components(separatedBy: "<!-- members -->\n").last?.components(separatedBy: "\n<!-- /members")
            .first
        let lines = list?.replacing("\n  ", with: " ").split(separator: "\n").map(String.init)
        #expect(lines == PolicyFile.page)
    }
}
