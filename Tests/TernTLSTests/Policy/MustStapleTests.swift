// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

/// Certificates that require a stapled response (RFC 7633), under policies that do not check revocation.
struct MustStapleTests {
    private let root: CertificateAuthority
    private let leaf: Identity
    private static let usual = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)

    init() throws {
        root = try CertificateAuthority()
        // As the profile for the web has it.
        leaf = try root.issue(
            LeafRequest(
                commonName: "localhost", validity: .days(-1, to: 40),
                extensions: [CertificateExtension("tlsfeature", "status_request")]))
    }

    private func policies() throws -> [ServerTrustPolicy] {
        let key = try X509Certificate.PublicKey(pin: leaf.pin)
        return [
            Self.usual, .performDefaultEvaluation(validateHost: false),
            .pinPublicKeys(publicKeys: [key], validateCertificateChain: true, validateHost: true),
            .pinCertificates(
                certificates: [try root.certificate()], validateCertificateChain: true, validateHost: true),
            .pinSet(PinSet(pins: [key])), .composite([Self.usual, .customEvaluation { _, _ in true }]),
            .performRevokedEvaluation(validateHost: true, revocationFlags: .crl),
            .performRevokedEvaluation(validateHost: true, revocationFlags: .ocsp),
        ]
    }

    private func result(
        _ policy: ServerTrustPolicy, _ staple: [UInt8]?, of identity: Identity? = nil,
        profile: TrustProfile = .standard,
        enforces: Bool = true
    ) throws -> ServerTrustResult {
        var trust = try ServerTrust(identity ?? leaf, anchors: [root.certificate()])
        trust.revocation.stapledResponse = staple.map(OCSPResponse.init)
        trust.profile = profile
        trust.enforcesMustStaple = enforces
        return policy.evaluate(trust, host: "localhost")
    }

    @Test(arguments: TrustProfile.allCases)
    func `each policy that validates the chain requires a good staple`(profile: TrustProfile) throws {
        let staples: [([UInt8]?, String)] = [
            (try root.ocspResponse(about: leaf, .good), "accepted"),
            (try root.ocspResponse(about: leaf, .revoked(at: 1_700_000_000)), "revoked"),
            (try root.ocspResponse(about: leaf, .unknown), "unknown-to-responder"), (nil, "missing-staple"),
            (try root.ocspResponse(about: leaf, .good, validity: .days(-9, to: -1)), "missing-staple"),
            (try root.ocspResponse(about: root.issue(), .good), "missing-staple"), ([1, 2, 3], "missing-staple"),
        ]
        for policy in try policies() {
            for (staple, rule) in staples {
                #expect(try result(policy, staple, profile: profile).rule == rule, "\(policy)")
            }
        }
    }

    @Test func `a staple that says "revoked" counts, whoever asked for it, and no other staple does`() throws {
        let (other, when) = (try root.issue(), RevocationStatus.revoked(at: 1_700_000_000))
        let harmless: [[UInt8]] = try [
            root.ocspResponse(about: other, .good), root.ocspResponse(about: other, .unknown), [1, 2, 3],
            root.ocspResponse(about: other, when, validity: .days(-9, to: -1)), root.ocspResponse(about: leaf, when),
            CertificateAuthority().ocspResponse(about: other, when),
        ]
        let key = try X509Certificate.PublicKey(pin: other.pin)
        for policy in [
            Self.usual, .pinSet(PinSet(pins: [key])), .composite([Self.usual, .customEvaluation { _, _ in true }]),
            .performRevokedEvaluation(validateHost: true, revocationFlags: [.ocsp, .networkAccessDisabled]),
            .certificateTransparency(.chrome(mode: .reportOnly)),
        ] {
            for enforces in [false, true] {
                func verdict(_ staple: [UInt8]) throws -> ServerTrustResult {
                    try result(policy, staple, of: other, enforces: enforces)
                }
                #expect(try verdict(root.ocspResponse(about: other, when)).failure?.rule == "revoked", "\(policy)")
                if case .performRevokedEvaluation = policy { continue }
                for staple in harmless { #expect(try verdict(staple).isAccepted, "\(policy)") }
            }
        }
        #expect(try result(.disableEvaluation, root.ocspResponse(about: leaf, when)).isAccepted)
    }

    @Test func `without the option, or the demand, no staple is needed`() throws {
        let other = try root.issue()
        for policy in try policies().dropLast() {
            #expect(try result(policy, nil, enforces: false).isAccepted)
        }
        #expect(try result(Self.usual, nil, of: other).isAccepted)
        #expect(try result(.disableEvaluation, nil).isAccepted)
        let key = try X509Certificate.PublicKey(pin: leaf.pin)
        #expect(
            try result(
                .pinPublicKeys(publicKeys: [key], validateCertificateChain: false, validateHost: false), nil
            ).isAccepted)
        // An anchor is trusted by decision.
        let anchored = ServerTrustPolicy.pinCertificates(
            certificates: [try leaf.certificate()], validateCertificateChain: true, validateHost: true)
        #expect(try result(anchored, nil).isAccepted)
    }

    @Test func `another refusal comes first`() throws {
        let pin = try X509Certificate.PublicKey(pin: CertificateAuthority().pin)
        let policy = ServerTrustPolicy.pinPublicKeys(
            publicKeys: [pin], validateCertificateChain: true, validateHost: true)
        #expect(try result(policy, nil).rule == "key-not-pinned")
    }

    @Test func `the verdict has the status of the leaf, which ends its validity`() throws {
        let result = try result(Self.usual, root.ocspResponse(about: leaf, .good))
        let finding = try #require(result.revocation.first)
        #expect(result.revocation.count == 1 && finding.source == .staple && finding.questions.isEmpty)
        guard case .good(let until) = finding.status else {
            Issue.record("\(finding)")
            return
        }
        #expect(TrustEvidence(result, at: result.time)?.validity.upperBound == min(until, result.time + 86400))
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a server that staples nothing is refused in its handshake`(version: TLSProtocolVersion) throws {
        for (enforces, policy) in [(true, Self.usual), (false, Self.usual), (true, .composite(try policies()))] {
            let dialogue = try Dialogue(identity: leaf, anchors: [root], policy: policy) {
                ($0.minimumVersion, $0.maximumVersion) = (version, version)
                $0.enforcesMustStaple = enforces
            }
            do {
                _ = try dialogue.handshake()
                #expect(!enforces)
            } catch let error as TLSError {
                #expect(enforces && error.trustFailure?.rule == "missing-staple")
            }
        }
        let other = try Dialogue(identity: root.issue(), anchors: [root]) { $0.enforcesMustStaple = true }
        #expect(throws: Never.self) { _ = try other.handshake() }
    }

    @Test func `the longest staple is read on the reactor, and a longer one says nothing`() throws {
        var trust = try ServerTrust(leaf, anchors: [root.certificate()])
        trust.enforcesMustStaple = true
        for length in [16, OCSPResponse.maximumSize, OCSPResponse.maximumSize + 1, 1_000_000] {
            trust.revocation.stapledResponse = OCSPResponse(der: [UInt8](repeating: 0x30, count: length))
            var evaluation = PolicyEvaluation(trust: trust, host: "localhost")
            #expect(evaluation.attempt(Self.usual)?.rule == "missing-staple")
        }
    }
}
