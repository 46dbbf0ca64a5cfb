// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing

@Suite struct ExplanationTests {
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

    @Test func `an explanation shows each certificate, what is wrong, what is wanted and what to do`() async throws {
        let wanted = try CertificateAuthority().pin
        let result = try await TernTool.run(
            "trust", "explain", "--chain", chain, "--anchors", anchors, "--host", "example.com", "--pin", wanted)
        #expect(result.status == 1)
        for text in [
            "example.com is REFUSED.", "key-not-pinned", leaf.pin, authority.pin, wanted, "do not pin the keys",
        ] {
            #expect(result.text.contains(text))
        }
        let accepted = try await TernTool.run("trust", "explain", "--chain", chain, "--anchors", anchors)
        #expect(accepted.status == 0)
        #expect(accepted.text.contains("Any host is accepted."))
    }
}
