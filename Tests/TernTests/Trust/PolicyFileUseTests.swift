// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import Testing

/// Report only, enforce, rotate: the steps of the page "Pinning without breaking your app", in code.
@Suite struct PolicyFileUseTests {
    private func policy(_ pins: [String], mode: String) -> String {
        #"{"pinSets":[{"hosts":["localhost"],"pins":["\#(pins.joined(separator: "\",\""))"],"mode":"\#(mode)"}]}"#
    }

    @Test func `a policy file reports, then enforces, then is rotated while the manager is at work`() async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue()
        let origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok("done")] }
        let folder = FileManager.default.temporaryDirectory.appending(path: "tern-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "policy.json")
        let wrong = try CertificateAuthority().pin

        try Data(policy([wrong], mode: "reportOnly").utf8).write(to: path)
        let (reports, reported) = AsyncStream.makeStream(of: PinFailureReport.self)
        let policies = try PolicyFile(contentsOf: path).manager { reported.yield($0) }
        var configuration = SessionConfiguration.default
        configuration.tls.anchors = .only([try X509Certificate(pem: authority.certificatePEM)])
        let manager = SessionManager(configuration: configuration, serverTrustPolicyManager: policies)
        #expect(try await manager.request(origin.url()).serializingString().value == "done")
        let report = try #require(await reports.first { _ in true })
        #expect(!report.isRefused)
        #expect(report.result.explanation.contains(identity.pin))

        try Data(policy([wrong], mode: "enforce").utf8).write(to: path)
        manager.serverTrustPolicyManager = try PolicyFile(contentsOf: path).manager()
        #expect(await manager.request(origin.url()).serializingString().response.error != nil)

        try Data(policy([wrong, identity.pin], mode: "enforce").utf8).write(to: path)
        manager.serverTrustPolicyManager = try PolicyFile(contentsOf: path).manager()
        #expect(try await manager.request(origin.url()).serializingString().value == "done")
        #expect(origin.requests.count == 2)
    }
}
