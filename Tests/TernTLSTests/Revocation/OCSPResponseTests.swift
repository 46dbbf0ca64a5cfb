// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
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

struct SignatureStrengthTests {
    @Test(arguments: [
        (NID_sha256WithRSAEncryption, true), (NID_sha384WithRSAEncryption, true), (NID_ecdsa_with_SHA256, true),
        (NID_ecdsa_with_SHA512, true), (NID_sha224WithRSAEncryption, true), (NID_ED25519, true), (NID_ED448, true),
        (NID_rsassaPss, true), (NID_sha1WithRSAEncryption, false), (NID_ecdsa_with_SHA1, false),
        (NID_md5WithRSAEncryption, false), (NID_undef, false), (NID_rsaEncryption, false),
    ])
    func `a signature is strong if its hash has 224 bits or more`(algorithm: Int32, isStrong: Bool) {
        #expect(SignatureStrength.isEnough(algorithm) == isStrong)
    }

    @Test func `no algorithm is not a strong one`() {
        #expect(unsafe !SignatureStrength.isEnough(nil))
    }
}
