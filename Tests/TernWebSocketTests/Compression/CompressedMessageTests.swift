// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernIO
import TernLock
import Testing

@testable import TernWebSocket

/// permessage-deflate in both directions (RFC 7692 §7.2).
@Suite struct CompressedMessageTests {
    /// What a server makes of a message: its payload.
    private func compressed(_ messages: [Data], _ parameters: DeflateParameters = .init(), level: Int = 6) throws
        -> [[UInt8]]
    {
        var deflater = try MessageDeflater(parameters, level: level)
        return messages.map { message in
            var (offset, payload, isLast) = (0, [] as [UInt8], false)
            while !isLast {
                let part = deflater.next(of: message, from: &offset)
                payload += part.part
                isLast = part.isLast
            }
            return payload
        }
    }

    private static let texts = ["Hello", "Hello", "añ€😀", String(repeating: "abc", count: 50_000), "x"]

    @Test(arguments: 9...15, [false, true])
    func `messages are decompressed with every window, with and without a context`(bits: Int, forgets: Bool) throws {
        var parameters = DeflateParameters()
        (parameters.clientWindowBits, parameters.clientForgetsContext) = (bits, forgets)
        parameters.serverForgetsContext = forgets
        for level in [0, 1, 6, 9] {
            let payloads = try compressed(Self.texts.map { Data($0.utf8) }, parameters, level: level)
            for size in [1, 1_000, .max] where size > 1 || level == 6 {
                let dialogue = try Dialogue(parameters)
                var messages: [WebSocketMessage] = []
                for payload in payloads {
                    let cut = payload.count / 2
                    let bytes =
                        frame(0x41, Array(payload[..<cut])) + frame(0x89, "?") + frame(0x80, Array(payload[cut...]))
                    dialogue.receive(bytes, inPiecesOf: size)
                    messages += dialogue.received()
                }
                let isSame = messages == Self.texts.map { .text($0) }
                #expect(isSame, "level \(level), \(size) bytes at once")
                #expect(dialogue.failure == nil)
            }
        }
    }

    /// RFC 7692 §7.2.3
    @Test(
        arguments: [
            ([0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], ["Hello"]),
            ([0x41, 0x03, 0xF2, 0x48, 0xCD, 0x80, 0x04, 0xC9, 0xC9, 0x07, 0x00], ["Hello"]),
            (
                [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00],
                ["Hello", "Hello"]
            ),
            ([0xC1, 0x0B, 0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00], ["Hello"]),
            // A final block, which ends the stream: the next message begins another one.
            (
                [0xC1, 0x08, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00] + [
                    0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00,
                ], ["Hello", "Hello"]
            ),
            ([0xC1, 0x0D, 0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00], ["Hello"]),
            // Empty, as a block and as nothing; and not compressed at all.
            ([0xC1, 0x01, 0x00], [""]), ([0xC1, 0x00], [""]), ([0x81, 0x05] + Array("Hello".utf8), ["Hello"]),
        ] as [([UInt8], [String])])
    func `the examples of RFC 7692 are read, wherever they are cut`(bytes: [UInt8], texts: [String]) throws {
        for size in [1, 2, 3, .max] {
            let dialogue = try Dialogue(DeflateParameters())
            dialogue.receive(bytes, inPiecesOf: size)
            #expect(dialogue.received() == texts.map { .text($0) })
            #expect(dialogue.failure == nil)
        }
    }

    @Test func `what is sent is compressed, and small messages are not`() throws {
        for forgets in [false, true] {
            var parameters = DeflateParameters()
            parameters.clientForgetsContext = forgets
            let dialogue = try Dialogue(parameters) { $0.compression?.minimumSize = 10 }
            for _ in 0..<2 { dialogue.connection.send(.text("0123456789"), nil) }
            dialogue.connection.send(.text("012345678"), nil)
            dialogue.connection.send(.data(Data(count: 1_000_000)), nil)
            dialogue.settle()
            let sent = dialogue.sent()
            #expect(sent.count > 3)
            #expect(sent[0].hasPrefix("textz("))
            #expect((sent[0] == sent[1]) == forgets)
            #expect(sent[2] == "text(012345678)")
            #expect(sent[3].hasPrefix("binaryz"))
            #expect(sent.dropFirst(4).allSatisfy { $0.hasPrefix("more") && !$0.hasPrefix("morez") })
        }
    }

    @Test func `what this side compresses is read by zlib, at every level and with every window`() throws {
        var random = SystemRandomNumberGenerator()
        let messages = [0, 1, 255, 256, 20_000, 300_000].map { length in
            Data((0..<length).map { $0 % 3 == 0 ? UInt8.random(in: 0...255, using: &random) : UInt8($0 & 15) })
        }
        for bits in 9...15 {
            for level in 0...9 {
                var parameters = DeflateParameters()
                parameters.clientWindowBits = bits
                let payloads = try compressed(messages, parameters, level: level)
                var inflater = try MessageInflater(DeflateParameters(), limit: 1 << 20)
                for (message, payload) in zip(messages, payloads) {
                    var (taken, made, isWhole) = (0, Data(), false)
                    while taken < payload.count {
                        try inflater.inflate(payload.span, from: &taken)
                        inflater.lend { made.append(Data(copying: $0)) }
                    }
                    while !isWhole {
                        isWhole = try inflater.finish()
                        inflater.lend { made.append(Data(copying: $0)) }
                    }
                    let isSame = made == message
                    #expect(isSame, "\(message.count) bytes, \(bits) bits, level \(level)")
                }
            }
        }
    }

    @Test func `a window of 256 bytes, which zlib has not, is kept to by sending messages as they are`() throws {
        var parameters = DeflateParameters()
        parameters.clientWindowBits = 8
        let dialogue = try Dialogue(parameters)
        dialogue.connection.send(.text(String(repeating: "a", count: 1_000)), nil)
        dialogue.settle()
        #expect(dialogue.sent() == ["text(1000)"])
    }

    @Test(
        arguments: [
            [0xC1, 0x02, 0xFF, 0xFF], [0xC1, 0x05, 0x00, 0x05, 0x00, 0xFA, 0xFE], [0xC1, 0x01, 0x06],
        ] as [[UInt8]])
    func `what is no deflate closes the WebSocket with 1007`(bytes: [UInt8]) throws {
        let dialogue = try Dialogue(DeflateParameters())
        dialogue.receive(bytes)
        guard case .undecodable? = dialogue.failure else {
            Issue.record("\(String(describing: dialogue.failure))")
            return
        }
        #expect(dialogue.sent() == ["close([3, 239])"])
    }

    @Test func `a compressed text is held against UTF-8`() throws {
        let payload = try #require(try compressed([Data([0x41, 0xC3, 0x28])]).first)
        let dialogue = try Dialogue(DeflateParameters())
        dialogue.receive(frame(0xC1, payload))
        #expect(dialogue.failure == .violation(.invalidUTF8))
    }

    @Test func `a bomb ends at the maximum, and takes no more time than that`() throws {
        let payload = try #require(try compressed([Data(count: 200_000_000)], level: 9).first)
        #expect(payload.count < 250_000)
        let dialogue = try Dialogue(DeflateParameters()) { $0.maximumMessageSize = 1_000_000 }
        let start = MonotonicInstant.now
        dialogue.receive(frame(0x82 | 0x40, payload))
        #expect(dialogue.failure == .messageTooLarge(limit: 1_000_000))
        #expect(dialogue.sent() == ["close([3, 241])"])
        #expect(start.duration(to: .now) < .seconds(5))
        // To the byte.
        let fits = try #require(try compressed([Data(count: 1_000_000)]).first)
        let other = try Dialogue(DeflateParameters()) { $0.maximumMessageSize = 1_000_000 }
        other.receive(frame(0xC2, fits))
        #expect(other.received() == [.data(Data(count: 1_000_000))])
    }

    @Test func `one call does no more than a few windows or blocks`() throws {
        let payload = try #require(try compressed([Data(count: 10_000_000)], level: 9).first)
        let dialogue = try Dialogue(DeflateParameters())
        let bytes = frame(0xC2, payload)
        #expect(dialogue.connection.receive(bytes.span) < bytes.count / 2)
        // Empty stored blocks produce nothing, and cost as much as others.
        let blocks = (0..<50_000).flatMap { _ in [0x00, 0x00, 0x00, 0xFF, 0xFF] as [UInt8] }
        let empty = try Dialogue(DeflateParameters())
        #expect(empty.connection.receive(frame(0x42, blocks).span) < 1_000)
        empty.tick()
        #expect(empty.failure == nil)
    }
}
