// SPDX-License-Identifier: Apache-2.0
import Testing
import TernTesting

struct IdentityTests {
    @Test func `another chain leaves the rest as it was`() throws {
        let identity = try CertificateAuthority().issue()
        let other = identity.sending(chainPEM: "")
        #expect(other.chainPEM.isEmpty)
        #expect(other != identity)
        #expect(other.sending(chainPEM: identity.chainPEM) == identity)
    }
}
