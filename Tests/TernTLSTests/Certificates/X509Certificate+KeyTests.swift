// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernTesting
import Testing

@testable import TernTLS

struct X509CertificateKeyTests {
    private func certificate(_ key: KeyKind) throws -> X509Certificate {
        try CertificateAuthority(AuthorityRequest(commonName: "Key", key: key)).certificate()
    }

    @Test func `the kind of a key is recognised, with its numbers`() throws {
        #expect(try certificate(.rsa(bits: 2048)).keyAlgorithm == .rsa(bits: 2048, exponent: 3))
        #expect(try certificate(.p256).keyAlgorithm == .ellipticCurve(NID_X9_62_prime256v1))
        #expect(try certificate(.p384).keyAlgorithm == .ellipticCurve(NID_secp384r1))
        #expect(try certificate(.ed25519).keyAlgorithm == .other(NID_ED25519))
    }

    @Test(arguments: [
        (KeyKind.p256, true, true), (.curve("secp224r1"), false, false), (.curve("brainpoolP256r1"), true, true),
        (.existing(privateKeyPEM: OddKeys.dsa), false, false),
        (.existing(privateKeyPEM: OddKeys.explicitCurve), false, false),
        (.existing(privateKeyPEM: OddKeys.longExponent), false, true),
        (.existing(privateKeyPEM: OddKeys.rsa8208), false, true),
        (.existing(privateKeyPEM: OddKeys.exponentOne), false, false),
        (.existing(privateKeyPEM: OddKeys.evenExponent), false, false),
    ])
    func `keys are allowed by their kind, and by their cost`(key: KeyKind, isSupported: Bool, isOfAllowedKind: Bool)
        throws
    {
        let certificate = try certificate(key)
        #expect(certificate.hasSupportedKey == isSupported)
        #expect(certificate.hasSupportedAlgorithm == isOfAllowedKind)
    }

    @Test func `a larger key costs no less to verify with`() throws {
        let costs = try [KeyKind.rsa(bits: 2048), .p256, .p384, .existing(privateKeyPEM: OddKeys.rsa8208)]
            .map { try certificate($0).verificationCost }
        #expect(costs == costs.sorted())
    }
}
