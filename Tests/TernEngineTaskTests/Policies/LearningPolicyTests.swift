// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernHTTP1
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// A policy that adds a field to each hop, and learns the value of that field from each final head.
private final class LearningPolicy: HopPolicy {
    let token = Lock("first")
    let interests: HopInterests = [.preparation, .allHeads]

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        guard hop.mayCarryCredentials else { return .ready }
        var request = hop.request
        request.headers["X-Token"] = token.withLock { $0 }
        return .change(request)
    }

    func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
        if let next = head["X-Next-Token"] { token.withLock { $0 = next } }
        return .pass
    }
}

@Suite(.timeLimit(.minutes(1))) struct LearningPolicyTests {
    @Test func `a policy adds a field to each hop, and learns its value from redirects and answers`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/"
                ? [.respond(status: 302, fields: [("Location", "/2"), ("X-Next-Token", "second")])]
                : [.respond(fields: [("X-Next-Token", "third")])]
        }
        let policy = LearningPolicy()
        let session = Session.limited(hopPolicies: [policy])
        _ = try await session.data(for: URLRequest(origin))
        #expect(policy.token.withLock { $0 } == "third")
        _ = try await session.data(for: URLRequest(origin, "/2"))
        #expect(origin.requests.map { $0.values(of: "X-Token") } == [["first"], ["second"], ["third"]])
    }
}
