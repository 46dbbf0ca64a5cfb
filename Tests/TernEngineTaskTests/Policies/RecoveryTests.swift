// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// A policy that sends a hop to another address when the first cannot be reached.
private struct Fallback: HopPolicy {
    let url: String
    var delay = Duration.zero
    let interests = HopInterests.failures

    func decide(on failure: AttemptFailure, _ history: inout TaskHistory) -> HopRecovery {
        guard failure.kind == .unconnected, history.hop.number == 0 else { return .pass }
        var request = history.request
        request.url = try? URLRequest(string: url).url
        return .next(request, after: delay)
    }
}

@Suite(.timeLimit(.minutes(1))) struct RecoveryTests {
    /// A port that refuses connections.
    private func refusingPort() throws -> UInt16 {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        return origin.port
    }

    @Test func `a policy sends a hop to another address when the first refuses the connection`() async throws {
        for delay in [Duration.zero, .milliseconds(20)] {
            let origin = try ScriptedOrigin { _, _ in [.ok("there")] }
            let session = Session.limited(
                hopPolicies: [Fallback(url: "http://localhost:\(origin.port)/", delay: delay)]
            ) { $0.httpAdditionalHeaders["Authorization"] = "Bearer secret" }
            let request = try URLRequest(string: "http://127.0.0.1:\(try refusingPort())/")
            let delegate = RecordingDelegate()
            let task = session.dataTask(with: request, delegate: delegate)
            task.resume()
            let record = await delegate.end()
            #expect(record.error == nil && String(decoding: record.body, as: UTF8.self) == "there")
            #expect(task.metrics?.hops.map(\.statusCode) == [nil, 200])
            #expect(task.metrics?.redirectCount == 0)
            #expect(task.currentRequest?.url?.host() == "localhost")
            #expect(origin.requests.count == 1 && origin.requests.first?.value(of: "Authorization") == nil)
        }
    }

    @Test func `a failure that every policy passes is the task's`() async throws {
        let port = try refusingPort()
        let session = Session.limited(hopPolicies: [Fallback(url: "http://127.0.0.1:\(port)/")])
        let error = await #expect(throws: SessionError.self) {
            try await session.data(for: URLRequest(string: "http://127.0.0.1:\(port)/"))
        }
        #expect(error?.phase == .connect)
    }
}
