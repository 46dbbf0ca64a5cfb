// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing

/// `tern trust evaluate --crl`: revocation without a network, with the lists of `openssl ca`.
@Suite struct TrustRevocationTests {
    @Test func `a list refuses what it revokes and nothing else`() async throws {
        let responder = try OCSPResponder()
        let (good, bad) = (try responder.issue(), try responder.issue())
        try await responder.record(bad, isRevoked: true)
        let list = try responder.folder.write(try await responder.list(), to: "ca.crl")
        let anchors = responder.folder.url.appending(path: "ca.pem").path
        for (identity, verdict, status) in [(good, "accept: ", 0), (bad, "refuse: revoked: ", 1)] {
            let chain = try responder.folder.write(identity.chainPEM, to: "chain.pem")
            let arguments = ["--host", "localhost", "--chain", chain, "--anchors", anchors, "--crl", list]
            let result = try await TernTool.run(["trust", "evaluate"] + arguments)
            #expect(result.text.hasPrefix(verdict))
            #expect(result.status == Int32(status))
        }
    }

    @Test func `a file that is no list is wrong usage`() async throws {
        let folder = try TemporaryFolder()
        let authority = try CertificateAuthority()
        let chain = try folder.write(try authority.issue().chainPEM, to: "chain.pem")
        for file in [chain, "/nonexistent"] {
            let result = try await TernTool.run("trust", "evaluate", "--chain", chain, "--crl", file)
            #expect(result.status == 2)
            #expect(result.errors.contains("--crl"))
        }
    }
}
