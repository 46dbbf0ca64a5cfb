// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTesting
import Testing

@testable import TernEngine

@Suite(.timeLimit(.minutes(5))) struct EventFeedTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n"

    /// Waits that were asked for, and did not take place.
    private final class Waits: Sendable {
        private let waits = Lock<[Duration]>([])
        var all: [Duration] { waits.withLock { $0 } }
        func add(_ wait: Duration) { waits.withLock { $0.append(wait) } }
    }

    private static func events(
        of origin: ScriptedOrigin, _ session: Session = .limited(), _ waits: Waits = Waits(),
        policy: ReconnectionPolicy? = nil, limit: Int = 1 << 20, _ change: (inout URLRequest) -> Void = { _ in }
    ) throws -> ServerSentEvents {
        var request = try URLRequest(origin)
        change(&request)
        let events = session.events(for: request, reconnection: policy, maximumEventSize: limit)
        return ServerSentEvents(
            request: events.request, policy: events.policy, limit: events.limit, connect: events.connect,
            sleep: { waits.add($0) })
    }

    private static func data(_ events: ServerSentEvents) async -> (data: [String], error: SessionError?) {
        var data: [String] = []
        do throws(SessionError) {
            var iterator = events.makeAsyncIterator()
            while let event = try await iterator.next() { data.append(event.data) }
            return (data, nil)
        } catch {
            return (data, error)
        }
    }

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
