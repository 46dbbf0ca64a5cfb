// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

struct PinFailureReportTests {
    private let trust: ServerTrust
    private let leaf: X509Certificate
    private static let stranger = X509Certificate.PublicKey(subjectPublicKeyInfo: [1])

    init() throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue(LeafRequest(dnsNames: ["example.com"]))
        leaf = try identity.certificate()
        trust = try ServerTrust(identity, anchors: [authority.certificate()])
    }

    private func result(_ policy: ServerTrustPolicy, host: String = "example.com") -> ServerTrustResult {
        policy.evaluate(trust, host: host)
    }

    @Test func `there is no report about a server that matches, or about an expired set`() {
        let accepted = result(.performDefaultEvaluation(validateHost: true))
        #expect(PinFailureReport(accepted, port: 443, pinSet: PinSet(pins: [leaf.publicKey])) == nil)
        let expired = PinSet(pins: [Self.stranger], expires: 1)
        #expect(PinFailureReport(accepted, port: 443, pinSet: expired) == nil)
    }

    @Test func `a mismatch is reported with the pins of its own set`() throws {
        let other = PinSet(pins: [X509Certificate.PublicKey(subjectPublicKeyInfo: [2])])
        let mine = PinSet(pins: [Self.stranger])
        let report = try #require(PinFailureReport(result(.pinSet(other)), port: 8443, pinSet: mine))
        #expect(report.failure.reason == .keyNotPinned(pins: [Self.stranger]))
        #expect(report.port == 8443)
        #expect(report.pinSet == mine)
    }

    @Test func `a chain that is not valid is reported with its own failure, and as refused`() throws {
        let set = PinSet(pins: [leaf.publicKey])
        let report = try #require(
            PinFailureReport(result(.pinSet(set), host: "elsewhere.test"), port: 443, pinSet: set))
        #expect(report.failure.rule == "name-mismatch")
        #expect(report.isRefused)
    }

    @Test func `a delegate that accepts a mismatch does not prevent its report`() throws {
        let set = PinSet(pins: [Self.stranger])
        let accepted = result(.pinSet(set)).answered(.accept)
        #expect(accepted.isAccepted)
        #expect(PinFailureReport(accepted, port: 443, pinSet: set)?.failure.rule == "key-not-pinned")
    }
}
