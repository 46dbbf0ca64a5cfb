// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// A response after which a policy has the request sent again is no response to it: nothing stores it, whatever its
/// status.
@Suite(.timeLimit(.minutes(1))) struct ResentHopTests {
    /// Sends a request again after this status.
    private struct Resending: HopPolicy {
        let status: Int
        let interests = HopInterests.unsuccessfulHeads

        func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
            head.status == status ? .resend(history.request) : .pass
        }
    }

    private static let stored = [("Cache-Control", "public, max-age=600")]

    @Test(arguments: [401, 403, 404, 410, 417, 421, 503])
    func `a response that is resent is not stored`(_ status: Int) async throws {
        let origin = try ScriptedOrigin { _, request in
            request.index == 0
                ? [.respond(status: status, fields: Self.stored, body: "no")]
                : [.respond(fields: [("Cache-Control", "no-store")], body: "yes")]
        }
        let cache = URLCache(memoryCapacity: 1 << 20)
        let session = Session.limited(hopPolicies: [Resending(status: status)]) { $0.urlCache = cache }
        for count in 2...3 {
            let (data, response) = try await session.data(for: URLRequest(origin))
            #expect(response.statusCode == 200 && String(decoding: data, as: UTF8.self) == "yes")
            #expect(origin.observations.requestCount == count)
        }
        #expect(cache.currentMemoryUsage == 0)
    }

    @Test func `a refused expectation is not stored, and the response to the request without it is`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.value(of: "Expect") == nil
                ? [.respond(fields: Self.stored, body: "yes")] : [.respond(status: 417, fields: Self.stored)]
        }
        let session = Session.limited { $0.urlCache = URLCache(memoryCapacity: 1 << 20) }
        var request = try URLRequest(origin)
        request.headers["Expect"] = "100-continue"
        request.httpBody = Data("x".utf8)
        #expect(try await session.text(request) == "yes")
        #expect(origin.observations.requestCount == 2)
    }
}
