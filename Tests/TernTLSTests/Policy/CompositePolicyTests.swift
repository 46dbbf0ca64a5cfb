// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting
import Testing

/// Alamofire 5's composite evaluator, and its rule that every host must have a policy.
struct CompositePolicyTests: PinnedServerSuite {
    let server: PinnedServer

    init() throws { server = try PinnedServer() }

    @Test func `all must accept`() {
        let cases: [([ServerTrustPolicy], Bool)] = [
            ([right], true), ([right, right], true), ([right, wrong], false), ([wrong, right], false),
            ([.disableEvaluation, right], true), ([.disableEvaluation, wrong], false),
            ([right, .customEvaluation { _, _ in false }], false), ([.composite([right])], true),
            ([.composite([right, wrong])], false), ([.composite([])], false),
        ]
        for (policies, passes) in cases {
            #expect(ServerTrustPolicy.composite(policies).evaluate(trust, host: "example.com").isAccepted == passes)
        }
    }

    @Test func `the first refusal is reported`() {
        let result = ServerTrustPolicy.composite([.performDefaultEvaluation(validateHost: true), wrong])
            .evaluate(trust, host: "example.org")
        #expect(result.rule == "name-mismatch")
    }

    @Test func `the chain is one that was validated`() {
        let unvalidated = ServerTrustPolicy.pinPublicKeys(
            publicKeys: [leaf.publicKey], validateCertificateChain: false, validateHost: false)
        let result = ServerTrustPolicy.composite([.disableEvaluation, unvalidated, right])
            .evaluate(trust, host: "example.com")
        #expect(result.isChainValidated)
        #expect(result.verifiedChain.count == 2)
    }

    @Test func `none at all refuses everyone`() {
        #expect(ServerTrustPolicy.composite([]).evaluate(trust, host: "example.com").rule == "no-policy")
    }

    @Test func `a mismatch in report-only mode is still in the result`() {
        let reporting = ServerTrustPolicy.pinSet(PinSet(pins: [], mode: .reportOnly))
        let result = ServerTrustPolicy.composite([reporting, right]).evaluate(trust, host: "example.com")
        #expect(result.isAccepted)
        #expect(result.waived?.rule == "key-not-pinned")
    }

    @Test func `each failure that is only reported is in the result, and warned of`() throws {
        let other = try CertificateAuthority().issue()
        let key = try X509Certificate(pem: other.certificatePEM).publicKey
        let sets = [PinSet(pins: [], mode: .reportOnly), PinSet(pins: [key], mode: .reportOnly)]
        let rehearsals = [wrong, .composite([])].map(ServerTrustPolicy.reportOnly)
        let result = ServerTrustPolicy.composite(sets.map { .pinSet($0) } + rehearsals)
            .evaluate(trust, host: "example.com")
        #expect(result.isAccepted)
        #expect(result.waivedFailures.map(\.reason) == [.keyNotPinned(pins: []), .keyNotPinned(pins: [key])])
        #expect(result.rehearsals.map(\.rule) == ["key-not-pinned", "no-policy"])
        #expect(
            result.warnings(within: 0).map(\.rule) == ["waived", "waived", "rehearsal", "rehearsal"])
    }

    @Test func `a host without a policy is refused by name if every host must have one`() throws {
        let required = ServerTrustPolicyManager(policies: ["example.org": right], allHostsMustBeEvaluated: true)
        let failure = try #require(required.evaluate(trust, host: "example.com").failure)
        #expect(failure.reason == .noRequiredEvaluator)
        #expect(failure.host == "example.com")
        #expect(throws: TrustFailure.self) { try required.requiredPolicy(forHost: "example.com") }
        let lenient = ServerTrustPolicyManager(policies: ["example.org": wrong])
        #expect(lenient.evaluate(trust, host: "example.com").isAccepted)
        #expect(!lenient.allHostsMustBeEvaluated)
    }

    @Test func `pin sets are found by their patterns and passed over where they exclude`() throws {
        let (one, two) = (
            X509Certificate.PublicKey(subjectPublicKeyInfo: [1]), X509Certificate.PublicKey(subjectPublicKeyInfo: [2])
        )
        let manager = ServerTrustPolicyManager(pinSets: [
            PinSet(
                hosts: [try HostPattern("**.example.com"), try HostPattern("example.org")],
                excludedHosts: [try HostPattern("legacy.example.com")], pins: [one]),
            PinSet(hosts: [try HostPattern("**.com"), try HostPattern("example.org")], pins: [two]),
        ])
        let expected: [(String, X509Certificate.PublicKey?)] = [
            ("example.com", one), ("a.b.example.com", one), ("example.org", one), ("legacy.example.com", two),
            ("other.com", two), ("other.net", nil),
        ]
        for (host, key) in expected {
            guard case .pinSet(let set)? = manager.serverTrustPolicy(forHost: host) else {
                #expect(key == nil, "\(host)")
                continue
            }
            #expect(set.pins == [key], "\(host)")
        }
    }
}
