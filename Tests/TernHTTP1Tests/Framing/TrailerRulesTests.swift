// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct TrailerRulesTests {
    @Test(arguments: ["Content-Length", "transfer-encoding", "SET-COOKIE", "Authorization", "Host"])
    func `a field that frames, routes or authenticates is no trailer`(name: String) {
        #expect(TrailerRules.forbids(name))
    }

    @Test func `the rest keep their order, and forbidden fields are separated`() {
        var fields = HeaderFields()
        for name in ["A", "Host", "B", "Content-Type"] { fields.append(name, "1") }
        let (trailers, discarded) = TrailerRules.sort(fields)
        #expect(trailers.map(\.name) == ["A", "B"])
        #expect(discarded.map(\.name) == ["Host", "Content-Type"])
    }
}
