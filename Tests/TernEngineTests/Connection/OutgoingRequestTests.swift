// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import Testing

@testable import TernEngine

struct OutgoingRequestTests {
    private static let settings = ExchangeSettings(SessionConfiguration())

    private func request(_ change: (inout URLRequest) -> Void = { _ in }) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "http://example.com/")))
        change(&request)
        return request
    }

    @Test func `there is something to send once it has begun, until it is dropped`() throws {
        var exchange = Exchange()
        var outgoing = OutgoingRequest()
        let atFirst = outgoing.isSent
        try outgoing.begin(Hop(request: try request()), on: &exchange, Self.settings)
        let begun = outgoing.isSent
        _ = outgoing.drop()
        let dropped = outgoing.isSent
        #expect((atFirst, begun, dropped) == (true, false, true))
    }

    @Test(arguments: [10, 20_000, 1_000_000]) func `a body belongs to it, however it travels`(size: Int) throws {
        var exchange = Exchange()
        var outgoing = OutgoingRequest()
        let request = try request {
            $0.httpMethod = "PUT"
            $0.httpBody = Data(count: size)
        }
        try outgoing.begin(Hop(request: request), on: &exchange, Self.settings)
        let begun = outgoing.isSent
        _ = outgoing.drop()
        let dropped = outgoing.isSent
        #expect((begun, dropped) == (false, true))
    }

    @Test func `what cannot be encoded leaves nothing to send`() throws {
        var exchange = Exchange()
        var outgoing = OutgoingRequest()
        let request = try request { $0.httpMethod = "GE T" }
        var refusal: InvalidRequest?
        do throws(InvalidRequest) {
            try outgoing.begin(Hop(request: request), on: &exchange, Self.settings)
        } catch {
            refusal = error
        }
        let isSent = outgoing.isSent
        #expect(refusal != nil && isSent)
    }
}
