// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import Testing

@testable import TernEngine

@Suite struct ExpectationsTests {
    private func decision(_ status: Int, _ change: (inout URLRequest) -> Void) throws -> HopDecision {
        var request = try URLRequest(string: "http://a.test/")
        request.httpMethod = "POST"
        request.httpBody = Data("x".utf8)
        change(&request)
        var history = TaskHistory(request)
        return Expectations().decide(on: try ResponseHead(status: status), &history)
    }

    @Test func `a request that is refused for its expectation is sent without it`() throws {
        guard
            case .resend(let request, .zero) = try decision(
                417, { $0.setValue("100-continue", forHTTPHeaderField: "Expect") })
        else {
            Issue.record("not sent again")
            return
        }
        #expect(request.value(forHTTPHeaderField: "Expect") == nil)
        #expect(request.httpBody == Data("x".utf8))
    }

    @Test func `every other response is left to others`() throws {
        for (status, expectation) in [(417, nil), (400, "100-continue"), (500, "100-continue")] {
            guard case .pass = try decision(status, { $0.setValue(expectation, forHTTPHeaderField: "Expect") }) else {
                Issue.record("\(status) is sent again")
                return
            }
        }
    }
}
