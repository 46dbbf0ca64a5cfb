// SPDX-License-Identifier: Apache-2.0
import TernEngine
import Testing

@testable import TernCLI

@Suite struct EventTextTests {
    private func text(_ event: ServerSentEvent, isJSON: Bool = false) throws -> String {
        try EventText.text(of: event, isJSON: isJSON)
    }

    @Test func `an event is printed as a stream writes it, without what is usual`() throws {
        #expect(try text(ServerSentEvent(event: "message", data: "a", id: "")) == "data: a\n")
        #expect(
            try text(ServerSentEvent(event: "tick", data: "a\nb\n", id: "7"))
                == "event: tick\nid: 7\ndata: a\ndata: b\ndata: \n")
        #expect(try text(ServerSentEvent(event: "message", data: "", id: "")) == "data: \n")
    }

    @Test func `as JSON it is one line with each field`() throws {
        #expect(
            try text(ServerSentEvent(event: "message", data: "a\n\"b\"/", id: ""), isJSON: true)
                == #"{"data":"a\n\"b\"/","event":"message","id":""}"#)
    }
}
