// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

struct ChainPlanTests {
    private let root: CertificateAuthority
    private let leaf: X509Certificate

    init() throws {
        root = try CertificateAuthority()
        leaf = try root.issue().certificate()
    }

    @Test func `a certificate whose key is dear to verify with is left out`() throws {
        let own = try root.certificate()
        let dear = try CertificateAuthority(
            AuthorityRequest(commonName: "Dear", key: .existing(privateKeyPEM: OddKeys.rsa8208))
        ).certificate()
        let plan = try ChainPlan(leaf: leaf, untrusted: [dear, own])
        #expect(plan.usable == [own])
        #expect(plan.readingCost > (try ChainPlan(leaf: leaf, untrusted: [own])).readingCost)
    }

    @Test func `a list that is too long is refused before it is read`() throws {
        let own = try root.certificate()
        let most = EvaluationLimit.certificates.maximum - 1
        _ = try ChainPlan(leaf: leaf, untrusted: Array(repeating: own, count: most))
        let error = try #require(throws: ChainPlan.LimitExceeded.self) {
            try ChainPlan(leaf: leaf, untrusted: Array(repeating: own, count: most + 1))
        }
        #expect(error.limit == .certificates)
        #expect(error.certificate == nil)
        let many = Array(repeating: own, count: EvaluationLimit.certificates.maximum + 1)
        #expect(ChainPlan.crossedLimit(of: many) == .certificates)
        #expect(ChainPlan.crossedLimit(of: Array(many.dropLast())) == nil)
    }

    @Test func `names and constraints cost nothing without each other, and their product together`() {
        #expect(NameConstraints.cost(names: 1000, subtrees: 0) == 0)
        #expect(NameConstraints.cost(names: 0, subtrees: 10) == 10)
        #expect(NameConstraints.cost(names: 1000, subtrees: 500) == 1000 + 500 + 10_000)
        #expect(NameConstraints.cost(names: .max / 4, subtrees: 8) != 0)
    }
}
