// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// The rules and examples of WHATWG HTML §9.2.6, whole, byte by byte and split at each point.
@Suite struct EventParserTests {
    private static func event(_ data: String, of type: String = "message", id: String = "") -> ServerSentEvent {
        ServerSentEvent(event: type, data: data, id: id)
    }

    private static let streams: [(text: String, events: [ServerSentEvent])] = [
        ("data: YHOO\ndata: +2\ndata: 10\n\n", [event("YHOO\n+2\n10")]),
        (
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
            [event("first event", id: "1"), event("second event"), event(" third event")]
        ),
        ("data\n\ndata\ndata\n\ndata:\n", [event(""), event("\n")]),
        ("data:test\n\ndata: test\n\n", [event("test"), event("test")]),
        ("event: add\ndata: 73857293\n\ndata: x\n\n", [event("73857293", of: "add"), event("x")]),
        ("event: add\n\ndata: x\n\n", [event("x")]),
        ("data: x\revent: y\r\rdata: z\r\r", [event("x", of: "y"), event("z")]),
        ("data: x\r\nid: 7\r\n\r\ndata: y\r\n\r\n", [event("x", id: "7"), event("y", id: "7")]),
        ("\u{FEFF}data: x\n\n\u{FEFF}data: y\n\n", [event("x")]),
        ("data: x\nid: a\0b\n\n", [event("x")]),
        ("id: 5\n\ndata: x\n\n", [event("x", id: "5")]),
        ("Data: x\nEVENT: y\n data: z\nunknown: w\n\n", []),
        ("data: a:b: c\n\n", [event("a:b: c")]),
        ("data: never ended", []), ("data: never ended\n", []), ("", []), ("\n\n\n", []), (":\n\n", []),
        ("data:\u{1F600}\u{E9}\n\n", [event("\u{1F600}\u{E9}")]),
    ]

    @Test(arguments: streams) func `events are those of the standard, however they come`(
        stream: (text: String, events: [ServerSentEvent])
    ) {
        for pieces in Cuts.all(Array(stream.text.utf8)) {
            #expect(EventDelivery(pieces).events == stream.events, "\(pieces)")
        }
    }

    @Test func `what is no UTF-8 is replaced, and does no harm to the line's end`() {
        let bytes =
            Array("data: a".utf8) + [0xF0, 0x9F, 0x98] + Array("\n\ndata: ".utf8) + [0xFF] + Array("\n\n".utf8)
        for pieces in Cuts.all(bytes) {
            #expect(EventDelivery(pieces).events.map(\.data) == ["a\u{FFFD}", "\u{FFFD}"])
        }
    }

    @Test(arguments: [
        ("retry: 10000\n", 10_000), ("retry:0\n", 0), ("retry: 1x\n", nil), ("retry:\n", nil), ("retry\n", nil),
        ("retry: -1\n", nil), ("retry: +1\n", nil), ("retry: 1.5\n", nil), ("retry: \u{661}\n", nil),
        ("retry:  1\n", nil),
        ("retry: 99999999999999999999999999\n", .max), ("retry: 1\nretry: x\n", 1), ("retry: 1\nretry: 2\n", 2),
    ])
    func `only digits are a time to come back after`(text: String, time: Int?) {
        for pieces in Cuts.all(Array(text.utf8)) { #expect(EventDelivery(pieces).retry == time) }
    }

    @Test func `the place reached is that of the last event that was complete`() {
        for pieces in Cuts.all(Array("id: 1\ndata: x\n\nid: 2\n\nid: 3\ndata: y\n".utf8)) {
            #expect(EventDelivery(pieces).lastEventID == "2")
        }
        #expect(EventDelivery([Array("data: x\n\n".utf8)], lastEventID: "9").events == [Self.event("x", id: "9")])
        #expect(EventDelivery([Array("id\ndata: x\n\n".utf8)], lastEventID: "9").events == [Self.event("x")])
    }

    @Test(arguments: [
        ("data: 12345678\n\n", false), ("data: 123456789\n\n", false), ("data: 1234567890\n\n", true),
        ("data: 1\ndata: 2\ndata: 3\ndata: 4\ndata: 5\n\n", false),
        ("data: 1\ndata: 2\ndata: 3\ndata: 4\ndata: 5\ndata: 6\ndata: 7\ndata: 8\n\n", true),
        (String(repeating: ": comment\n", count: 100) + "data: x\n\n", false),
        (": " + String(repeating: "x", count: 20), true),
        ("event: 12345678\ndata: 123456\n\n", false), ("event: 12345678\ndata: 1234567\n\n", true),
    ])
    func `an event is no larger than allowed, however it comes`(text: String, isTooLarge: Bool) {
        for pieces in Cuts.all(Array(text.utf8)) {
            #expect(EventDelivery(pieces, limit: 15).isTooLarge == isTooLarge, "\(pieces)")
        }
    }
}
