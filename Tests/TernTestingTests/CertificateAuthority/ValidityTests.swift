// SPDX-License-Identifier: Apache-2.0
import Testing
import TernTesting

struct ValidityTests {
    let root: CertificateAuthority

    init() throws { root = try CertificateAuthority() }

    private func verify(_ identity: Identity, anchor: CertificateAuthority) async throws -> OpenSSLCommand {
        try await OpenSSLCommand.run(
            "openssl verify -CAfile root.pem leaf.pem",
            files: ["root.pem": anchor.certificatePEM, "leaf.pem": identity.certificatePEM])
    }

    @Test func `days are counted from now, the past with a minus`() {
        let (before, now) = (Validity.days(-2, to: -1), Validity.days(0, to: 0))
        #expect((0...1).contains(now.notBefore - before.notBefore - 2 * 86400))
        #expect((0...1).contains(now.notAfter - before.notAfter - 86400))
        #expect(Validity.expired.notAfter < now.notBefore)
        #expect(Validity.future.notBefore > now.notAfter)
    }

    @Test func `validity outside the present is refused`() async throws {
        #expect(
            try await verify(root.issue(LeafRequest(validity: .expired)), anchor: root).output.contains("has expired"))
        #expect(
            try await verify(root.issue(LeafRequest(validity: .future)), anchor: root).output.contains("not yet valid"))
    }
}
