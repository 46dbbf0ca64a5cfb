// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct UpgradeWaiterTests: UpgradeDialogue {
    /// A stream does not keep its session.
    private let session = Session.limited()

    @Test func `cancelling the wait closes the connection`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.awaitClose] }
        let request = try Self.request(origin)
        let waiter = Task { () async -> SessionError? in
            do throws(SessionError) {
                _ = try await session.upgrade(for: request)
                return nil
            } catch {
                return error
            }
        }
        #expect(await origin.waitFor { $0.requestCount == 1 })
        waiter.cancel()
        #expect(await waiter.value?.reason.isCancellation == true)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test(arguments: [200, 400, 426]) func `any other answer is a refusal that names it`(status: Int) async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: status, body: "no")] }
        let request = try Self.request(origin)
        do throws(SessionError) {
            _ = try await session.upgrade(for: request)
            Issue.record("the server did not agree")
        } catch {
            guard case .transfer(.upgradeRefused(status)) = error.reason else { Issue.record("\(error)"); return }
        }
    }
}
