// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

struct TrustEvidenceTests {
    private let root: CertificateAuthority
    private let leaf: Identity

    init() throws {
        root = try CertificateAuthority()
        leaf = try root.issue()
    }

    private static let usual = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)

    @Test func `a refusal is no evidence`() throws {
        let trust = try ServerTrust(leaf, anchors: [root.certificate()])
        #expect(TrustEvidence(Self.usual.evaluate(trust, host: "other.test"), at: trust.time) == nil)
    }

    @Test func `an unknown revocation status counts for five minutes, and a good one for as long as it says`() throws {
        var trust = try ServerTrust(leaf, anchors: [root.certificate()])
        let policy = ServerTrustPolicy.performRevokedEvaluation(validateHost: true, revocationFlags: .ocsp)
        let unknown = try #require(TrustEvidence(policy.evaluate(trust, host: "localhost"), at: trust.time))
        #expect(unknown.validity == trust.time...(trust.time + 300))
        let validity = Validity(notBefore: trust.time - 10, notAfter: trust.time + 1000)
        trust.revocation.stapledResponse = OCSPResponse(
            der: try root.ocspResponse(about: leaf, .good, validity: validity))
        let known = try #require(TrustEvidence(policy.evaluate(trust, host: "localhost"), at: trust.time))
        #expect(known.validity == trust.time...(trust.time + 1000))
    }

    @Test func `a verdict counts for as long as it would be repeated, and not for the time before it`() throws {
        let result = Self.usual.evaluate(
            ServerTrust(sentChain: [try leaf.certificate()], anchors: .only([try root.certificate()])),
            host: "localhost")
        let notBefore = try #require(result.verifiedChain.first?.notBefore)
        let notAfter = try #require(result.verifiedChain.first?.notAfter)
        let atEnd = try #require(TrustEvidence(result, at: notAfter - 10))
        #expect(atEnd.validity.contains(notAfter))
        #expect(!atEnd.validity.contains(notAfter + 1))
        #expect(!atEnd.validity.contains(notAfter - 11))
        let inBetween = try #require(TrustEvidence(result, at: notBefore))
        #expect(inBetween.validity.contains(notBefore + 86400))
        #expect(!inBetween.validity.contains(notBefore + 86401))
    }
}
