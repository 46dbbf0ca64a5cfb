// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

struct ServerTrustResultTests {
    private let trust: ServerTrust
    private let policy = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)

    init() throws {
        let authority = try CertificateAuthority()
        trust = try ServerTrust(authority.issue(), anchors: [authority.certificate()])
    }

    @Test func `an answer that repeats the verdict changes nothing`() {
        let (good, bad) = (policy.evaluate(trust, host: "localhost"), policy.evaluate(trust, host: "other.test"))
        for (result, answer) in [
            (good, ServerTrustAnswer.accept), (good, .performDefaultHandling), (bad, .refuse),
            (bad, .performDefaultHandling),
        ] {
            #expect(result.answered(answer) === result)
        }
    }

    @Test func `a delegate that accepts a refused server leaves the refusal readable`() {
        let result = policy.evaluate(trust, host: "other.test").answered(.accept)
        #expect(result.isAccepted)
        #expect(result.rule == "accepted-by-delegate")
        #expect(result.failure == nil)
        #expect(result.overridden?.rule == "name-mismatch")
        #expect(result.sentence.hasSuffix(", but a delegate accepted the server"))
    }

    @Test func `a delegate that refuses an accepted server is the reason`() {
        let accepted = policy.evaluate(trust, host: "localhost")
        let result = accepted.answered(.refuse)
        #expect(!result.isAccepted)
        #expect(result.rule == "delegate")
        #expect(result.policyVerdict === accepted)
        #expect(result.overridden == nil)
        #expect(result.failure?.seen.map(\.publicKey) == accepted.verifiedKeys)
    }
}
