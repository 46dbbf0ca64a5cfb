// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

struct PolicyIdentityTests {
    private static let key = X509Certificate.PublicKey(subjectPublicKeyInfo: [1])
    private static let other = X509Certificate.PublicKey(subjectPublicKeyInfo: [2])

    private static let policies: [ServerTrustPolicy] = [
        .performDefaultEvaluation(validateHost: true), .performDefaultEvaluation(validateHost: false),
        .performRevokedEvaluation(validateHost: true, revocationFlags: .ocsp),
        .performRevokedEvaluation(validateHost: true, revocationFlags: .crl),
        .pinPublicKeys(publicKeys: [key], validateCertificateChain: true, validateHost: true),
        .pinPublicKeys(publicKeys: [other], validateCertificateChain: true, validateHost: true),
        .pinPublicKeys(publicKeys: [key], validateCertificateChain: false, validateHost: true),
        .pinPublicKeys(publicKeys: [key], validateCertificateChain: true, validateHost: false),
        .pinCertificates(certificates: [], validateCertificateChain: true, validateHost: true),
        .pinSet(PinSet(pins: [key])), .pinSet(PinSet(pins: [other])), .composite([.disableEvaluation]),
        .composite([]), .disableEvaluation,
    ]

    @Test func `policies with different demands have different identities`() {
        let identities = Self.policies.map(\.identity)
        #expect(Set(identities).count == identities.count)
        #expect(identities == Self.policies.map(\.identity))
    }

    @Test func `a verdict of closures and composites is not reused without a further evaluation`() {
        #expect(ServerTrustPolicy.customEvaluation { _, _ in true }.identity.isReevaluated)
        #expect(ServerTrustPolicy.composite([.disableEvaluation]).identity.isReevaluated)
        #expect(Self.policies.filter(\.identity.isReevaluated).count == 2)
    }
}
