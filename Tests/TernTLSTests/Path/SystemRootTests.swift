// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernTLS

/// The rules are meant to pass every certificate in use: here are some that can be had without a network.
struct SystemRootTests {
    @Test func `every root of the system keeps the rules for anchors`() {
        let store = TrustStore.system
        let place = CertificateRule.Place(depth: 2, isAnchor: true)
        for root in store.all {
            #expect(root.brokenRule(at: place) == nil, "\(root)")
            #expect(root.brokenWebRule(at: place) == nil, "\(root)")
            #expect(root.brokenNameConstraintRule(below: []) == nil, "\(root)")
        }
    }
}
