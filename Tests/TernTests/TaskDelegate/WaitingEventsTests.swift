// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Tern

@Suite struct WaitingEventsTests {
    @Test func `events keep their order, and are taken once`() throws {
        let manager = SessionManager()
        manager.startRequestsImmediately = false
        let request = manager.request("http://127.0.0.1:1/")
        let task = try #require(request.task)
        var relay = WaitingEvents()
        #expect(relay.add(.data(Data("a".utf8)), of: task) == nil)
        #expect(relay.add(.sent(1, total: 1, expected: 1), of: task) == nil)
        let events = relay.take().events
        #expect(events.count == 2)
        guard case .data = events[0].1, case .sent = events[1].1 else {
            Issue.record("another order")
            return
        }
        #expect(relay.take().events.isEmpty)
    }
}
