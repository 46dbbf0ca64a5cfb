// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing

@Suite struct VerdictReportTests {
    private let authority: CertificateAuthority
    private let leaf: Identity
    private let folder: TemporaryFolder
    private let chain: String
    private let anchors: String

    init() throws {
        authority = try CertificateAuthority()
        leaf = try authority.issueIntermediate().issue(LeafRequest(dnsNames: ["example.com"]))
        folder = try TemporaryFolder()
        chain = try folder.write(leaf.chainPEM, to: "chain.pem")
        anchors = try folder.write(authority.certificatePEM, to: "roots.pem")
    }

    private func evaluate(_ arguments: String...) async throws -> TernTool.Result {
        try await TernTool.run(["trust", "evaluate", "--chain", chain, "--anchors", anchors] + arguments)
    }

    @Test func `--json prints every key`() async throws {
        let result = try await evaluate("--host", "example.com", "--pin", try CertificateAuthority().pin, "--json")
        let object = try result.object()
        #expect(result.status == 1)
        #expect(
            Set(object.keys) == [
                "verdict", "reason", "detail", "host", "at", "policy", "openssl", "wanted_pins", "chain",
                "certificates",
            ])
        #expect(object["verdict"] as? String == "refuse")
        #expect(object["reason"] as? String == "key-not-pinned")
        #expect(object["chain"] as? String == "verified")
        let certificates = try #require(object["certificates"] as? [[String: Any]])
        #expect(certificates.map { $0["role"] as? String } == ["leaf", "intermediate", "anchor"])
        #expect(certificates.first?["pin"] as? String == leaf.pin)
        #expect(Set(certificates.map(\.count)) == [18])
    }
}
