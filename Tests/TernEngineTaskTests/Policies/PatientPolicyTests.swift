// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// A policy that sends a request again 50 ms after a 503, twice at most.
private struct PatientPolicy: HopPolicy {
    private struct Memory: PolicyMemory {
        var count = 0
    }

    var delay = Duration.milliseconds(50)
    let interests = HopInterests.unsuccessfulHeads

    func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
        guard head.status == 503, history[Memory.self].count < 2 else { return .pass }
        history[Memory.self].count += 1
        return .resend(history.hop.request, after: delay)
    }
}

@Suite(.timeLimit(.minutes(1))) struct PatientPolicyTests {
    @Test func `a policy has a request sent again after a time, on the same connection`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.index < 2 ? [.respond(status: 503, body: "busy")] : [.ok("done")]
        }
        let session = Session.limited(hopPolicies: [PatientPolicy()])
        let start = ContinuousClock.now
        #expect(try await session.text(URLRequest(origin)) == "done")
        #expect(ContinuousClock.now - start >= .milliseconds(100))
        #expect(origin.connectionCount == 1)
    }

    @Test func `what a policy does not send again is the answer`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 503, body: "busy")] }
        let session = Session.limited(hopPolicies: [PatientPolicy()])
        let (_, response) = try await session.data(for: URLRequest(origin))
        #expect(response.statusCode == 503 && origin.observations.requestCount == 3)
    }

    @Test func `a task that waits ends at once when it is cancelled or times out, and with its session`()
        async throws
    {
        for reason in ["cancelled", "timed-out", "session-invalidated"] {
            let origin = try ScriptedOrigin { _, _ in [.respond(status: 503)] }
            let holder = SessionHolder(
                .limited(hopPolicies: [PatientPolicy(delay: .seconds(1000))]) {
                    if reason == "timed-out" { $0.timeouts.total = .milliseconds(100) }
                })
            let delegate = RecordingDelegate()
            let task = holder.session?.dataTask(with: try URLRequest(origin), delegate: delegate)
            task?.resume()
            #expect(await origin.waitFor { $0.requestCount == 1 })
            while await holder.session?.onReactor({ task?.isWaiting == false && task?.state == .running }) == true {
                await Task.yield()
            }
            if reason == "cancelled" { task?.cancel() }
            if reason == "session-invalidated" { holder.drop() }
            #expect(await delegate.end().error?.reason.kind.rawValue == reason)
        }
    }
}
