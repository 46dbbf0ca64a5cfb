// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

struct OCSPResponseNextUpdateTests {
    private let authority: CertificateAuthority
    private let leaf: Identity

    init() throws {
        authority = try CertificateAuthority()
        leaf = try authority.issue()
    }

    @Test func `a response expires when its entry says`() throws {
        let validity = Validity(notBefore: 1_600_000_000, notAfter: 1_700_000_000)
        let der = try authority.ocspResponse(about: leaf, .good, validity: validity)
        #expect(OCSPResponse(der: der).nextUpdate == 1_700_000_000)
    }

    @Test func `what is no successful response has no expiry, and leaves no error behind`() throws {
        let der = try authority.ocspResponse(about: leaf, .good)
        // The last is a response with the status tryLater.
        for bytes in [[], Array(der.dropLast(5)), Array("<html>".utf8), [0x30, 0x03, 0x0a, 0x01, 0x03]] {
            #expect(OCSPResponse(der: bytes).nextUpdate == nil)
        }
        #expect(OpenSSLError.drain().isEmpty)
    }
}
