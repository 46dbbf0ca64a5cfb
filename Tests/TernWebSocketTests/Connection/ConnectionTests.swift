// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernIO
import TernLock
import Testing

@testable import TernEngineTestSupport
@testable import TernWebSocket

/// What a connection makes of a server's frames, and sends, without I/O.
@Suite struct ConnectionTests {
    // Messages

    @Test(arguments: [1, 2, 3, 7, .max])
    func `messages come whole however they are fragmented and cut`(size: Int) throws {
        let dialogue = try Dialogue()
        let bytes =
            frame(0x81, "one") + frame(0x82, [1, 2, 3]) + frame(0x01, "th") + frame(0x00, "") + frame(0x89, "?")
            + frame(0x80, "ree") + frame(0x81, "") + frame(0x01, []) + frame(0x80, []) + frame(0x82, [])
        #expect(dialogue.receive(bytes, inPiecesOf: size) == bytes.count)
        #expect(
            dialogue.received() == [
                .text("one"), .data(Data([1, 2, 3])), .text("three"), .text(""), .text(""), .data(Data()),
            ])
        #expect(dialogue.sent() == ["pong(?)"])
        #expect(dialogue.failure == nil)
    }

    @Test func `a text may be cut within a character, in frames and in packets`() throws {
        let text = "aé€😀z"
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            for size in [1, 2, .max] {
                let dialogue = try Dialogue()
                dialogue.receive(
                    frame(0x01, Array(bytes[..<cut])) + frame(0x80, Array(bytes[cut...])), inPiecesOf: size)
                #expect(dialogue.received() == [.text(text)])
            }
        }
    }

    @Test(
        arguments: [
            (frame(0xC1, "x"), .reservedBit), (frame(0x91, "x"), .reservedBit), (frame(0xA1, "x"), .reservedBit),
            (frame(0x83, ""), .opcode), (frame(0x8B, ""), .opcode), ([0x81, 0x81, 0, 0, 0, 0, 0], .mask),
            (frame(0x80, "x"), .nothingToContinue), (frame(0x00, "x"), .nothingToContinue),
            (frame(0x01, "x") + frame(0x81, "y"), .unfinishedMessage),
            (frame(0x01, "x") + frame(0x02, "y"), .unfinishedMessage),
            (frame(0x09, "x"), .fragmentedControlFrame), (frame(0x08, ""), .fragmentedControlFrame),
            (frame(0x8A, [UInt8](repeating: 0, count: 126)), .controlFrameTooLong), ([0x81, 126, 0, 5], .length),
            ([0x82, 127, 0xFF, 0, 0, 0, 0, 0, 0, 0], .length), (frame(0x81, [0xFF]), .invalidUTF8),
            (frame(0x81, [0xC3]), .invalidUTF8), (frame(0x01, [0xC3]) + frame(0x80, [0x28]), .invalidUTF8),
            (frame(0x01, [0xF0, 0x9F]) + frame(0x80, []), .invalidUTF8), (frame(0x88, [0x03]), .closeCode),
            (frame(0x88, [0x03, 0xE8, 0xFF]), .invalidUTF8),
        ] as [([UInt8], WebSocketViolation)])
    func `a broken rule closes the WebSocket with its code, and says which`(
        bytes: [UInt8], violation: WebSocketViolation
    ) throws {
        for size in [1, .max] {
            let dialogue = try Dialogue()
            dialogue.receive(frame(0x82, [7]) + bytes, inPiecesOf: size)
            #expect(dialogue.received() == [.data(Data([7]))])
            #expect(dialogue.failure == .violation(violation))
            let code = violation == .invalidUTF8 ? [0x03, 0xEF] : [0x03, 0xEA] as [UInt8]
            #expect(
                dialogue.sent() == [SentFrame(first: 0x88, payload: code + Array(violation.rawValue.utf8)).description])
            // What follows is not looked at, and the server's end is the end.
            dialogue.receive(frame(0x81, "late"))
            #expect(dialogue.received() == [])
            #expect(dialogue.connection.ending == nil)
            dialogue.receiveEnd()
            #expect(dialogue.connection.ending?.isOrderly == true)
            #expect(dialogue.events.last == .closed(WebSocketClose(violation.closeCode, reason: violation.rawValue)))
        }
    }

    @Test func `a server that sends on after a violation is heard for a second, or 64 KB`() throws {
        let patient = try Dialogue()
        patient.receive([0x83, 0])
        patient.advance(by: .milliseconds(999))
        #expect(patient.connection.ending == nil)
        patient.advance(by: .milliseconds(2))
        #expect(patient.connection.ending?.reason != nil)
        let flooded = try Dialogue()
        flooded.receive([0x83, 0])
        flooded.receive([UInt8](repeating: 0, count: 64 * 1024))
        #expect(flooded.connection.ending == nil)
        flooded.receive([0])
        #expect(flooded.connection.ending != nil)
    }

    @Test func `a message that is too long is refused by its header, in one frame or several`() throws {
        let bytes = [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0] as [UInt8]
        let one = try Dialogue { $0.maximumMessageSize = 65_535 }
        one.receive(bytes)
        #expect(one.failure == .messageTooLarge(limit: 65_535))
        #expect(one.sent() == ["close([3, 241])"])
        let several = try Dialogue { $0.maximumMessageSize = 3 }
        several.receive(frame(0x02, [1, 2]) + frame(0x00, [3]) + [0x00, 0x01])
        #expect(several.failure == .messageTooLarge(limit: 3))
        let fits = try Dialogue { $0.maximumMessageSize = 3 }
        fits.receive(frame(0x02, [1, 2]) + frame(0x80, [3]))
        #expect(fits.received() == [.data(Data([1, 2, 3]))])
        let none = try Dialogue { $0.maximumMessageSize = -1 }
        none.receive(frame(0x82, []) + frame(0x82, [1]))
        #expect(none.received() == [.data(Data())])
        #expect(none.failure == .messageTooLarge(limit: 0))
    }

    // Closing

    @Test(
        arguments: [
            ([], .noStatusReceived, ""), ([0x03, 0xE8], .normalClosure, ""),
            ([0x03, 0xE9] + Array("née".utf8), .goingAway, "née"),
            ([0x0B, 0xB8], WebSocketCloseCode(rawValue: 3000), ""),
            ([0x13, 0x87], WebSocketCloseCode(rawValue: 4999), ""), ([0x03, 0xF6], .badGateway, ""),
        ] as [([UInt8], WebSocketCloseCode, String)])
    func `a server's close is answered with its code`(payload: [UInt8], code: WebSocketCloseCode, reason: String) throws
    {
        let dialogue = try Dialogue()
        dialogue.receive(frame(0x81, "last") + frame(0x88, payload) + frame(0x81, "never"))
        #expect(dialogue.received() == [.text("last")])
        #expect(dialogue.failure == .closed(WebSocketClose(code, reason: reason)))
        #expect(dialogue.sent() == [SentFrame(first: 0x88, payload: Array(payload.prefix(2))).description])
        #expect(dialogue.connection.closeSoFar == WebSocketClose(code, reason: reason))
        #expect(dialogue.connection.ending == nil)
        dialogue.receiveEnd()
        #expect(dialogue.connection.ending?.reason == nil)
    }

    @Test func `every close code is taken or refused as the registry has it`() throws {
        for code in UInt16.min ... .max {
            let isValid = [1000...1003, 1007...1014, 3000...4999].contains { $0.contains(Int(code)) }
            #expect(WebSocketCloseCode(rawValue: code).isSendable == isValid)
        }
        for code: UInt16 in [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535] {
            let dialogue = try Dialogue()
            dialogue.receive(frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)]))
            #expect(dialogue.failure == .violation(.closeCode))
        }
    }

    @Test func `this side closes, receives what comes before the server's close, and sends no more`() throws {
        let dialogue = try Dialogue()
        let closed = Lock<WebSocketClose?>(nil)
        let refused = Lock<SessionError?>(nil)
        dialogue.connection.startClose(WebSocketClose(.normalClosure, reason: "bye")) { close in
            closed.withLock { $0 = close }
        }
        dialogue.connection.send(.text("late")) { error in refused.withLock { $0 = error } }
        dialogue.settle()
        dialogue.tick()
        #expect(dialogue.sent() == ["close([3, 232, 98, 121, 101])"])
        #expect(refused.withLock { $0 } != nil)
        dialogue.receive(frame(0x81, "more") + frame(0x89, "?"))
        #expect(dialogue.sent() == [])
        #expect(closed.withLock { $0 } == nil)
        dialogue.receive(frame(0x88, [0x03, 0xE8]))
        #expect(closed.withLock { $0 } == WebSocketClose(.normalClosure))
        #expect(dialogue.received() == [.text("more")])
        #expect(dialogue.connection.isClosedHere)
        dialogue.advance(by: .seconds(10))
        #expect(dialogue.connection.ending != nil)
    }

    @Test func `a close without an answer ends with its time limit and a reset`() throws {
        let dialogue = try Dialogue { $0.closeTimeout = .seconds(3) }
        let closed = Lock<WebSocketClose?>(nil)
        dialogue.connection.startClose(WebSocketClose(.goingAway)) { close in closed.withLock { $0 = close } }
        dialogue.settle()
        dialogue.advance(by: .milliseconds(2_999))
        #expect(dialogue.connection.ending == nil)
        dialogue.advance(by: .milliseconds(2))
        #expect(dialogue.connection.ending?.isOrderly == false)
        dialogue.connection.ended(nil)
        #expect(closed.withLock { $0 } == WebSocketClose(.abnormalClosure))
    }

    @Test func `an end without a close is no close`() throws {
        let dialogue = try Dialogue()
        dialogue.receive(frame(0x01, "ha"))
        dialogue.receiveEnd()
        #expect(dialogue.connection.ending?.reason != nil)
        dialogue.connection.ended(
            SessionError(.transfer(.webSocket(.closed(WebSocketClose(.abnormalClosure)))), phase: .body))
        #expect(dialogue.failure == .closed(WebSocketClose(.abnormalClosure)))
        #expect(dialogue.received() == [])
    }

    // Pings

    @Test func `pings are answered one by one, and a peer that does not read gets the last answer`() throws {
        let dialogue = try Dialogue()
        dialogue.receive((0..<10).flatMap { frame(0x89, "\($0)") })
        #expect(dialogue.sent() == (0..<10).map { "pong(\($0))" })
        let bytes = (0..<50_000).flatMap { frame(0x89, "\($0)") }
        dialogue.receive(bytes)
        let pongs = dialogue.sent()
        #expect(pongs.count < 7_000)
        #expect(pongs.last == "pong(49999)")
    }

    @Test func `a pong answers its ping and those before it`() throws {
        let dialogue = try Dialogue()
        let times = Lock<[Duration]>([])
        for _ in 0..<3 {
            dialogue.connection.sendPing { result in
                if case .success(let time) = result { times.withLock { $0.append(time) } }
            }
        }
        dialogue.settle()
        #expect(dialogue.sent().count == 3)
        dialogue.advance(by: .seconds(2))
        dialogue.receive(frame(0x8A, "other") + frame(0x8A, [0, 0, 0, 0, 0, 0, 0, 2]))
        #expect(times.withLock { $0 } == [.seconds(2), .seconds(2)])
        dialogue.connection.ended(nil)
        #expect(times.withLock { $0 }.count == 2)
    }

    @Test func `pings at an interval end a connection that says nothing, and one that is not heard has time`() throws {
        func dialogue() throws -> Dialogue {
            try Dialogue { ($0.pingInterval, $0.pongTimeout) = (.seconds(10), .seconds(5)) }
        }
        let silent = try dialogue()
        silent.advance(by: .seconds(10))
        #expect(silent.sent() == ["ping(8)"])
        silent.advance(by: .seconds(5))
        #expect(silent.failure == .noPong(within: .seconds(5)))
        let alive = try dialogue()
        for _ in 0..<10 {
            alive.advance(by: .seconds(10))
            alive.receive(frame(0x81, "."))
            _ = alive.received()
            alive.advance(by: .seconds(5))
        }
        #expect(alive.failure == nil)
        // Nobody reads here: the server's pong may wait behind its messages.
        let deaf = try dialogue()
        deaf.receive((0..<64).flatMap { _ in frame(0x82, [UInt8](repeating: 0, count: 4_000)) })
        #expect(deaf.connection.wanted == 0)
        deaf.advance(by: .seconds(10))
        deaf.advance(by: .seconds(60))
        #expect(deaf.connection.ending == nil)
        #expect(deaf.received().count > 8)
    }

    // Sending

    @Test func `messages are framed, long ones in several frames, and a pong comes between`() throws {
        let dialogue = try Dialogue()
        dialogue.connection.send(.text("short"), nil)
        dialogue.connection.send(.data(Data(count: 600_000)), nil)
        dialogue.connection.send(.text(""), nil)
        dialogue.settle()
        dialogue.receive(frame(0x89, "now"))
        #expect(
            dialogue.sent() == [
                "text(short)", "binary+(262144)", "pong(now)", "more+(262144)", "more(75712)", "text()",
            ])
        #expect(
            dialogue.events == [
                .sent(isText: true, size: 5), .sent(isText: false, size: 600_000), .sent(isText: true, size: 0),
            ])
    }

    @Test func `a message is done when all of it is sent, and one that cannot be fails`() throws {
        let dialogue = try Dialogue()
        let results = Lock<[Bool]>([])
        dialogue.connection.send(.data(Data(count: 200_000))) { error in results.withLock { $0.append(error == nil) } }
        dialogue.connection.send(.data(Data(count: 10))) { error in results.withLock { $0.append(error == nil) } }
        dialogue.settle()
        dialogue.connection.lendUnsent { min($0.count, 100_000) }
        dialogue.tick()
        #expect(results.withLock { $0 } == [])
        var count = 0
        while count < 6, dialogue.connection.hasUnsent {
            dialogue.connection.lendUnsent { min($0.count, 70_000) }
            dialogue.tick()
            count += 1
        }
        #expect(results.withLock { $0 } == [true, true])
        dialogue.connection.send(.data(Data(count: 200_000))) { error in results.withLock { $0.append(error == nil) } }
        dialogue.settle()
        dialogue.connection.sendingFailed(.transfer(.connectionLost(nil)))
        dialogue.tick()
        #expect(results.withLock { $0 } == [true, true, false])
    }

    @Test func `a frame that has begun is sent whole before the close that ends its message`() throws {
        for end in [frame(0x88, [3, 233]), frame(0x83, [])] {
            let dialogue = try Dialogue()
            let failures = Lock(0)
            dialogue.connection.send(.data(Data(count: 1_000_000))) { error in
                failures.withLock { $0 += error == nil ? 0 : 1 }
            }
            dialogue.settle()
            dialogue.receive(end)
            let sent = dialogue.sent()
            #expect(sent.first == "binary+(262144)")
            #expect(sent.count == 2 && sent.last?.hasPrefix("close") == true, "\(sent)")
            #expect(failures.withLock { $0 } == 1)
        }
    }

    @Test func `what is sent after a loss fails as what was being sent`() throws {
        let dialogue = try Dialogue()
        let losses = Lock(0)
        let count: SendCompletion = { error in
            losses.withLock { $0 += error?.reason.isConnectionLoss == true ? 1 : 0 }
        }
        dialogue.connection.send(.text("before"), count)
        dialogue.settle()
        dialogue.connection.sendingFailed(.transfer(.connectionLost(nil)))
        dialogue.connection.send(.text("behind"), count)
        dialogue.settle()
        dialogue.tick()
        #expect(losses.withLock { $0 } == 2)
    }

    @Test func `what a server said before nothing could be sent any more is received`() throws {
        let dialogue = try Dialogue()
        dialogue.connection.sendingFailed(.transfer(.connectionLost(nil)))
        dialogue.tick()
        dialogue.receive(frame(0x81, "last") + frame(0x88, [3, 243]))
        #expect(dialogue.received() == [.text("last")])
        #expect(dialogue.failure == .closed(WebSocketClose(.internalServerError)))
        let silent = try Dialogue()
        silent.connection.sendingFailed(.transfer(.connectionLost(nil)))
        silent.receiveEnd()
        let reason = silent.connection.ending?.reason
        #expect(reason?.isConnectionLoss == true)
    }

    @Test func `there is nothing to send behind a close`() throws {
        let dialogue = try Dialogue()
        for _ in 0..<3 { dialogue.connection.send(.data(Data(count: 1_000_000)), nil) }
        dialogue.connection.startClose(WebSocketClose(.normalClosure), nil)
        dialogue.settle()
        // At most: a stream that waits for room would be ready without end.
        for _ in 0..<100 where dialogue.connection.hasUnsent { dialogue.connection.lendUnsent { $0.count } }
        #expect(!dialogue.connection.hasUnsent)
    }

    @Test func `what is lent is sent in order with what waits`() throws {
        let dialogue = try Dialogue()
        dialogue.connection.send(isText: true, Array("lent".utf8).span)
        dialogue.connection.send(.text("kept"), nil)
        dialogue.settle()
        dialogue.connection.send(isText: false, [UInt8](repeating: 1, count: 100_000).span)
        dialogue.connection.send(isText: true, Array("after".utf8).span)
        dialogue.settle()
        #expect(dialogue.sent() == ["text(lent)", "text(kept)", "binary(100000)", "text(after)"])
    }

    // Back-pressure

    @Test func `a reader that stops stops the peer, at 64 KB or one message`() throws {
        let dialogue = try Dialogue()
        let bytes = (0..<1_000).flatMap { _ in frame(0x82, [UInt8](repeating: 0, count: 1_000)) }
        let taken = dialogue.receive(bytes, inPiecesOf: 4_096)
        #expect(taken < 80_000)
        #expect(dialogue.connection.wanted == 0)
        #expect(dialogue.received().count == taken / 1_004)
        #expect(dialogue.connection.wanted > 0)
    }

    @Test func `messages without content cost something, too`() throws {
        let dialogue = try Dialogue()
        let bytes =
            [UInt8](repeating: 0, count: 200_000).enumerated().map { $0.offset % 2 == 0 ? 0x82 : $0.element } as [UInt8]
        #expect(dialogue.receive(bytes) < 20_000)
    }

    @Test func `a million empty fragments are one message`() throws {
        let dialogue = try Dialogue()
        let fragments = [UInt8](repeating: 0, count: 2_000_000)
        dialogue.receive(frame(0x01, "a") + fragments + frame(0x80, "b"))
        #expect(dialogue.received() == [.text("ab")])
    }
}
