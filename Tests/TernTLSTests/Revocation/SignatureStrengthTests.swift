// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import Testing

@testable import TernTLS

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
