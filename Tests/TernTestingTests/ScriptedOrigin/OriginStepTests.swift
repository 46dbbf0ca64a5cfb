// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernTesting
import Testing

@Suite struct OriginStepTests {
    private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private func answer(_ steps: [ScriptedOrigin.Step]) throws -> (text: String, end: RawClient.End) {
        let origin = try ScriptedOrigin { _, _ in steps }
        let client = try RawClient(port: origin.port)
        client.send(get)
        return client.receiveAll()
    }

    @Test func `close ends with FIN even when bytes are unread`() throws {
        let origin = try ScriptedOrigin { _, _ in [.send("bye"), .close] }
        let client = try RawClient(port: origin.port)
        client.send(get + get + get)
        let (text, end) = client.receiveAll()
        #expect(text == "bye")
        #expect(end == .fin)
    }

    @Test func `reset ends with RST`() throws {
        #expect(try answer([.reset]).end == .reset)
    }

    @Test func `a step is described by the beginning of its bytes, however many they are`() {
        #expect("\(ScriptedOrigin.Step.send("a\r\n"))" == #"send("a\r\n")"#)
        let steps: [ScriptedOrigin.Step] = [.repeat([UInt8](repeating: 0x61, count: 1 << 20), count: 1024), .reset]
        #expect("\(steps)" == "[repeat(\"\(String(repeating: "a", count: 100))\"… 1048576 bytes, count: 1024), reset]")
    }

    @Test func `JSON comes with its type, a length, and the fields and the status that are given`() throws {
        let step = ScriptedOrigin.Step.json(#"{"id": 7}"#, status: 201, fields: [(name: "Location", value: "/7")])
        let head = "HTTP/1.1 201 \r\nContent-Type: application/json\r\nLocation: /7\r\nContent-Length: 9\r\n\r\n"
        #expect(try answer([step, .close]).text == head + #"{"id": 7}"#)
    }

    @Test func `a drip comes whole`() throws {
        #expect(try answer([.drip(Array("drop".utf8), every: .microseconds(200)), .close]).text == "drop")
    }

    @Test func `a repeat comes the given number of times`() throws {
        #expect(
            try answer([.repeat(Array("ab".utf8), count: 1000), .close]).text == String(repeating: "ab", count: 1000))
    }

    @Test func `a pause takes its time`() throws {
        let start = ContinuousClock.now
        _ = try answer([.pause(.milliseconds(30)), .close])
        #expect(ContinuousClock.now - start >= .milliseconds(30))
    }

    @Test func `a hold lasts until the release`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.send("held,"), .hold, .send("released"), .close] }
        let client = try RawClient(port: origin.port)
        client.send(get)
        #expect(client.receive(until: ",") == "held,")
        // The hold begins some time after its bytes came, so that one release could come too early. On a thread of its
        // own: the one the test runs on waits for what comes of it.
        let flag = Flag()
        let releasing = Thread {
            while !flag.isRaised.load(ordering: .relaxed) { try? origin.release() }
        }
        releasing.start()
        let text = client.receiveAll().text
        flag.isRaised.store(true, ordering: .relaxed)
        #expect(text == "released")
    }

    @Test func `a hold sees the client go`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        var client: RawClient? = try RawClient(port: origin.port)
        client?.send(get)
        #expect(await origin.waitFor { $0.requestCount == 1 })
        client = nil
        #expect(await origin.waitFor { $0.closes.map(\.kind) == [.fin] && $0.openConnections == 0 })
    }

    @Test func `half a close still receives from the client`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.halfClose] }
        let client = try RawClient(port: origin.port)
        client.send(get)
        #expect(client.receiveAll().end == .fin)
        client.send("more")
        client.finishSending()
        #expect(await origin.waitFor { $0.closes.map(\.kind) == [.fin] })
    }

    @Test func `receive waits for bytes of the wire on a new connection`() throws {
        let origin = try ScriptedOrigin(onAccept: { _ in [.receive(4), .send("!")] }) { _, request in
            [.send(request.target), .close]
        }
        let client = try RawClient(port: origin.port)
        client.send("GET ")
        #expect(client.receive(until: "!") == "!")
        client.send("/x HTTP/1.1\r\n\r\n")
        #expect(client.receiveAll().text == "/x")
    }
}

private final class Flag: Sendable {
    let isRaised = Atomic<Bool>(false)
}

@Suite struct OriginStepResponseTests {
    private func text(_ step: ScriptedOrigin.Step) -> String? {
        guard case .send(let bytes) = step else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `ok counts the bytes of its body`() {
        #expect(text(.ok("né")) == "HTTP/1.1 200 \r\nContent-Length: 3\r\n\r\nné")
    }

    @Test func `respond leaves framing of its caller alone`() {
        let step = ScriptedOrigin.Step.respond(
            status: 404, reason: "Not Found", fields: [(name: "content-length", value: "7")], body: "x")
        #expect(text(step) == "HTTP/1.1 404 Not Found\r\ncontent-length: 7\r\n\r\nx")
    }

    @Test func `chunked writes sizes in hexadecimal and trailers behind the last chunk`() {
        let step = ScriptedOrigin.Step.chunked(
            ["", "0123456789abcdefg", "h"], trailers: [(name: "Sum", value: "9")])
        let body = "11\r\n0123456789abcdefg\r\n1\r\nh\r\n0\r\nSum: 9\r\n\r\n"
        #expect(text(step) == "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n" + body)
    }
}
