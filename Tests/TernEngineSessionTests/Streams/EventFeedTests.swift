// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct EventFeedTests: EventDialogue {
    @Test(arguments: ["data: ", ": "]) func `an event that never ends is an error`(beginning: String) async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send(Self.head + beginning), .repeat(Array(repeating: 0x61, count: 65536), count: 1 << 20)]
        }
        let (_, error) = await Self.data(try Self.events(of: origin, limit: 200_000))
        guard case .transfer(.unreadable(.eventTooLarge(limit: 200_000))) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `leaving the iteration closes the connection`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.send(Self.head + "data: a\n\n"), .awaitClose] }
        for try await event in try Self.events(of: origin) {
            #expect(event.data == "a")
            break
        }
        #expect(await origin.waitFor { $0.openConnections == 0 && $0.closes.count == 1 })
    }

    @Test func `cancelling ends a wait, too`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.send(Self.head + "retry: 3600000\ndata: a\n\n"), .close] }
        let request = try URLRequest(origin)
        let events = Session.limited().events(for: request)
        let reader = Task { () async -> SessionError? in
            do throws(SessionError) {
                var iterator = events.makeAsyncIterator()
                while try await iterator.next() != nil {}
                return nil
            } catch {
                return error
            }
        }
        #expect(await origin.waitFor { $0.requestCount == 1 && $0.openConnections == 0 })
        reader.cancel()
        #expect(await reader.value?.reason.isCancellation == true)
        #expect(origin.requests.count == 1)
    }
}
