// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTesting

@testable import TernEngine
@testable import TernEngineTestSupport

/// A suite that follows events.
protocol EventDialogue {}

extension EventDialogue {
    static var head: String { "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n" }

    static func events(
        of origin: ScriptedOrigin, _ session: Session = .limited(), _ waits: EventWaits = EventWaits(),
        policy: ReconnectionPolicy? = nil, limit: Int = 1 << 20, _ change: (inout URLRequest) -> Void = { _ in }
    ) throws -> ServerSentEvents {
        var request = try URLRequest(origin)
        change(&request)
        let events = session.events(for: request, reconnection: policy, maximumEventSize: limit)
        return ServerSentEvents(
            request: events.request, policy: events.policy, retries: events.retries, limit: events.limit,
            connect: events.connect, sleep: { waits.add($0) })
    }

    static func data(_ events: ServerSentEvents) async -> (data: [String], error: SessionError?) {
        var data: [String] = []
        do throws(SessionError) {
            var iterator = events.makeAsyncIterator()
            while let event = try await iterator.next() { data.append(event.data) }
            return (data, nil)
        } catch {
            return (data, error)
        }
    }
}

/// Waits that were asked for, and did not take place.
final class EventWaits: Sendable {
    private let waits = Lock<[Duration]>([])
    var all: [Duration] { waits.withLock { $0 } }
    func add(_ wait: Duration) { waits.withLock { $0.append(wait) } }
}
