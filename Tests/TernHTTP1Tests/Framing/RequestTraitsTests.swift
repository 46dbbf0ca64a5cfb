// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct RequestTraitsTests {
    @Test func `a union has what either has, and keeps the method`() {
        var traits = RequestTraits(isHead: true, asksUpgrade: true)
        traits.formUnion(RequestTraits(isConnect: true, asksClose: true, expectsContinue: true))
        #expect(traits.isHead && traits.asksUpgrade && traits.asksClose && traits.expectsContinue)
        #expect(!traits.isConnect)
    }
}
