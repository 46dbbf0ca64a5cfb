// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct HopPoliciesTests {
    private struct Policy: HopPolicy {
        let interests: HopInterests
        let name: String
    }

    private func names(_ policies: [any HopPolicy]) -> [String] { policies.compactMap { ($0 as? Policy)?.name } }

    @Test func `a policy is called for what it takes part in, in the order of the list`() {
        let policies = HopPolicies([
            Policy(interests: .unsuccessfulHeads, name: "a"),
            Policy(interests: [.preparation, .failures], name: "b"),
            Policy(interests: [.preparation, .unsuccessfulHeads], name: "c"),
        ])
        #expect(names(policies.preparing) == ["b", "c"])
        #expect(names(policies.reading) == ["a", "c"])
        #expect(names(policies.recovering) == ["b"])
        #expect(policies.readingAll.isEmpty)
    }

    @Test func `one policy that reads all heads is enough`() {
        let policies = HopPolicies([
            Policy(interests: .unsuccessfulHeads, name: "a"), Policy(interests: .allHeads, name: "b"),
        ])
        #expect(!policies.readingAll.isEmpty)
        #expect(names(policies.reading) == ["a", "b"])
    }
}
