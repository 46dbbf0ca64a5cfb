// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing
import TestPrograms

/// `tern trust … --ct`.
@Suite struct TrustTransparencyTests {
    private let authority: CertificateAuthority
    private let logs: [TransparencyTestLog]
    private let folder: TemporaryFolder
    private let list: String
    private let anchors: String

    init() throws {
        authority = try CertificateAuthority()
        logs = [try TransparencyTestLog("a", operatorName: "One"), try TransparencyTestLog("b", operatorName: "Two")]
        folder = try TemporaryFolder()
        anchors = try folder.write(authority.certificatePEM, to: "roots.pem")
        let operators = logs.map { #"{"name": "\#($0.operatorName)", "logs": [\#($0.json())]}"# }
        let now = Date().formatted(.iso8601)
        list = try folder.write(
            #"{"log_list_timestamp": "\#(now)", "operators": [\#(operators.joined(separator: ","))]}"#, to: "logs.json")
    }

    private func leaf(_ logs: [TransparencyTestLog]) throws -> Identity {
        let now = Int64(Date().timeIntervalSince1970)
        return try authority.issue(LeafRequest(validity: .days(-1, to: 89))) {
            entry throws(CertificateAuthorityError) in
            var timestamps: [[UInt8]] = []
            for log in logs { timestamps.append(try log.timestamp(of: entry, at: now)) }
            return TransparencyTestLog.list(timestamps)
        }
    }

    private func run(
        _ command: String, _ logs: [TransparencyTestLog], _ more: String...
    ) async throws -> TernTool.Result {
        let chain = try folder.write(leaf(logs).chainPEM, to: "chain.pem")
        return try await TernTool.run(
            ["trust", command, "--chain", chain, "--anchors", anchors, "--host", "localhost", "--ct", list] + more)
    }

    @Test func `evaluate accepts and refuses, with the rule`() async throws {
        let accepted = try await run("evaluate", logs)
        #expect(accepted.status == 0 && accepted.text.hasPrefix("accept: accepted"), "\(accepted.errors)")
        let refused = try await run("evaluate", [logs[0]])
        #expect(refused.status == 1 && refused.text.hasPrefix("refuse: certificate-transparency: "))
    }

    @Test func `explain names each timestamp and the verdict`() async throws {
        let accepted = try await run("explain", logs)
        #expect(accepted.status == 0)
        #expect(accepted.text.contains("enough logs have promised"))
        #expect(accepted.text.contains("a (One), 2") && accepted.text.contains("b (Two), 2"))
        #expect(accepted.text.contains("in the certificate, counts"))
        let refused = try await run("explain", [])
        #expect(refused.status == 1 && refused.text.contains("it cannot be read"))
    }

    @Test func `the report has each timestamp`() async throws {
        let result = try await run("evaluate", logs, "--json")
        let report = try #require(try JSONSerialization.jsonObject(with: Data(result.text.utf8)) as? [String: Any])
        let transparency = try #require(report["transparency"] as? [String: Any])
        #expect(transparency["complies"] as? Bool == true)
        let timestamps = try #require(transparency["timestamps"] as? [[String: Any]])
        #expect(timestamps.map { $0["operator"] as? String } == ["One", "Two"])
        #expect(timestamps.map { $0["status"] as? String } == ["valid", "valid"])
    }

    @Test func `a server is watched for certificates that no log has, and for a list that is too old to tell`()
        async throws
    {
        func watch(_ logs: [TransparencyTestLog], _ list: String) async throws -> TernTool.Result {
            let origin = try ScriptedOrigin(tls: leaf(logs)) { _, _ in [.ok()] }
            return try await TernTool.run(
                "trust", "watch", "https://localhost:\(origin.port)/", "--anchors", anchors, "--expires-within", "0",
                "--ct", list)
        }
        let quiet = try await watch(logs, list)
        #expect(quiet.status == 0 && quiet.text.isEmpty, "\(quiet.text)\(quiet.errors)")
        let unlogged = try await watch([logs[0]], list)
        #expect(unlogged.status == 1 && unlogged.text.contains(": unlogged: "), "\(unlogged.text)\(unlogged.errors)")
        let old = try folder.write(#"{"log_list_timestamp": "2001-01-01T00:00:00Z", "operators": []}"#, to: "old.json")
        let outdated = try await watch(logs, old)
        #expect(outdated.status == 1 && outdated.text.contains(": unlogged: "), "\(outdated.text)\(outdated.errors)")
        #expect(try await watch(logs, "/nowhere").status == 2)
    }

    @Test func `a list that cannot be read is wrong usage`() async throws {
        let file = try folder.write("{}", to: "none.json")
        let result = try await TernTool.run("trust", "evaluate", "--chain", anchors, "--ct", file)
        #expect(result.status == 2 && result.errors.contains("operators: the field is missing"))
        #expect(try await TernTool.run("trust", "evaluate", "--batch", "/dev/null", "--ct", file).status == 2)
    }
}
