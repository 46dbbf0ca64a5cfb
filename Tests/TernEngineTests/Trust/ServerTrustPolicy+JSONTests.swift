// SPDX-License-Identifier: Apache-2.0
import TernTLS
import Testing

@testable import TernEngine

@Suite struct ServerTrustPolicyJSONTests {
    private static let pin = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    private func policy(_ members: String) throws -> ServerTrustPolicy {
        try ServerTrustPolicy(fields: JSONFields(reading: Array("{\(members)}".utf8)))
    }

    @Test func `fields imply the evaluation, and what is left out weakens nothing`() throws {
        guard case .performDefaultEvaluation(validateHost: true) = try policy(""),
            case .pinSet = try policy(#""pins": ["\#(Self.pin)"]"#),
            case .pinPublicKeys(_, false, true) = try policy(
                #""pins": ["\#(Self.pin)"], "validateCertificateChain": false"#),
            case .performRevokedEvaluation(true, .useAnyAvailableMethod) = try policy(
                #""evaluation": "performRevokedEvaluation""#),
            case .disableEvaluation = try policy(#""evaluation": "disableEvaluation""#)
        else {
            Issue.record("another policy")
            return
        }
    }

    @Test func `flags are words, and policies stand in policies`() throws {
        guard
            case .performRevokedEvaluation(false, [.crl, .preferCRL]) = try policy(
                #""evaluation": "performRevokedEvaluation", "validateHost": false, "revocationFlags": ["crl", "preferCRL"]"#
            ),
            case .composite(let policies) = try policy(#""evaluation": "composite", "policies": [{}, {}]"#)
        else {
            Issue.record("another policy")
            return
        }
        #expect(policies.count == 2)
    }

    @Test(arguments: [
        #""evaluation": "none""#, #""evaluation": "pinPublicKeys""#, #""validateHost": 1"#, #""other": true"#,
        #""evaluation": "performRevokedEvaluation", "revocationFlags": ["ocps"]"#, #""certificates": ["x"]"#,
    ])
    func `what is not understood is refused`(members: String) {
        #expect(throws: PolicyFileError.self) { try policy(members) }
    }
}
