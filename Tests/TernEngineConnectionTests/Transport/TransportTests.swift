// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
@testable import TernIO
@testable import TernTLS
@testable import TernTesting

@Suite(.timeLimit(.minutes(5))) struct TransportTests {
    /// How a server can end, and whether that is the orderly end of what its connection carries.
    enum End: String, CaseIterable, Sendable {
        case orderly, withoutNotice, reset

        var step: ScriptedOrigin.Step {
            switch self {
            case .orderly: .close
            case .withoutNotice: .closeAbruptly
            case .reset: .reset
            }
        }
    }

    /// Bodies that end before they should, and those that say themselves when they are over.
    enum Body: String, CaseIterable, Sendable {
        case shortLength = "Content-Length: 10\r\n\r\n12345"
        case noLastChunk = "Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n"
        case noTrailerEnd = "Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n"
        case wholeLength = "Content-Length: 5\r\n\r\n12345"
        case wholeChunked = "Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n\r\n"
        case untilClose = "\r\n12345"

        var isFramed: Bool { self == .wholeLength || self == .wholeChunked }
    }

    @Test(arguments: Body.allCases, [false, true])
    func `a body is complete only if its framing or an orderly end says so`(body: Body, isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let identity = isSecure ? try authority.issue() : nil
        for end in End.allCases {
            // A reset may overtake the bytes before it, so the framed bodies are taken in first.
            let wait: [ScriptedOrigin.Step] = end == .reset ? [.hold] : []
            let origin = try ScriptedOrigin(tls: identity) { _, _ in
                [.send("HTTP/1.1 200 OK\r\n" + body.rawValue)] + wait + [end.step]
            }
            let session = try Session.trusting(authority)
            let delegate = RecordingDelegate()
            session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
            if end == .reset {
                await delegate.wait { $0.body.count == 5 || $0.completions > 0 }
                try origin.release()
            }
            let record = await delegate.end()
            let isComplete =
                switch end {
                case .orderly: body.isFramed || body == .untilClose
                case .withoutNotice: body.isFramed || (body == .untilClose && !isSecure)
                case .reset: body.isFramed
                }
            #expect((record.error == nil) == isComplete, "\(body), \(end)")
            #expect(record.body == Array("12345".utf8), "\(body), \(end)")
            if let error = record.error {
                #expect(error.phase == .body, "\(body), \(end)")
                #expect(error.reason.isConnectionLoss, "\(body), \(end)")
            }
        }
    }

    @Test func `the last flight of a handshake waits for the first request, and is sent together with it`() throws {
        let authority = try CertificateAuthority()
        // Each send arrives as one packet, and is received as one.
        let ends = try SecuredEnds.connected(SOCK_SEQPACKET)
        let peer = Socket(descriptor: Descriptor(owning: ends[1]))
        let transport = Transport(
            socket: Socket(descriptor: Descriptor(owning: ends[0])), tls: try SecuredEnds.session(trusting: authority))
        let server = try #require(TLSServerSession(try TLSServerContext(authority.issue(), .init())))

        #expect(try transport.shakeHands(with: []) == .needMoreBytes)
        #expect(transport.sentCount == 0)
        try transport.flush()
        let hello = transport.sentCount
        #expect(hello > 0)
        server.feed(try peer.receivePacket())
        _ = try server.shakeHands()
        #expect(try transport.shakeHands(with: server.takeOutput()) == .complete)
        let before = (transport.hasUnsent, peer.hasInput)
        #expect(before == (true, false))

        let request = Array("GET / HTTP/1.1\r\n\r\n".utf8)
        #expect(try unsafe request.withUnsafeBytes { try unsafe transport.send($0) } == request.count)
        server.feed(try peer.receivePacket())
        let after = (transport.hasUnsent, peer.hasInput)
        #expect(after == (false, false))
        #expect(transport.sentCount > hello + UInt64(request.count))
        _ = try server.shakeHands()
        var buffer = [UInt8](repeating: 0, count: 100)
        let (_, count) = try server.read(into: &buffer)
        #expect(Array(buffer.prefix(count)) == request)
    }

    /// Receives and opens with lent buffers, as in one tick, and returns the results.
    private func receive(_ transport: Transport, atMost count: Int, room: Int = 1 << 18) throws -> [Received] {
        var (input, plaintext) = ([UInt8](repeating: 0, count: 1 << 18), [UInt8](repeating: 0, count: room))
        return try unsafe input.withUnsafeMutableBytes { input in
            try unsafe plaintext.withUnsafeMutableBytes { plaintext in
                let buffers = unsafe ReceiveBuffers(input: input, plaintext: plaintext)
                var results: [Received] = []
                transport.beginTick()
                receiving: while true {
                    switch try unsafe transport.receive(buffers, atMost: count, isListening: true) {
                    case .nothing: break receiving
                    case .endOfStream(let isOrderly):
                        results.append(.endOfStream(isOrderly: isOrderly))
                        break receiving
                    case .bytes(let count): results.append(.bytes(count))
                    case .message: results.append(.message)
                    case nil: break
                    }
                }
                unsafe transport.endTick(buffers)
                return results
            }
        }
    }

    /// The session tickets of the server have been received.
    private func endsWithoutTickets() throws -> SecuredEnds {
        let ends = try SecuredEnds()
        try ends.sendFromServer([7])
        #expect(try receive(ends.transport, atMost: 1 << 18).last == .bytes(1))
        return ends
    }

    @Test func `records that arrive together are opened in one call, as far as their price and the room allow`() throws
    {
        let ends = try endsWithoutTickets()
        func send(_ count: Int, times: Int) throws {
            for _ in 0..<times { try ends.sendFromServer([UInt8](repeating: 7, count: count)) }
        }
        try send(1000, times: 5)
        #expect(try receive(ends.transport, atMost: 1 << 18).first == .bytes(5000))
        // A record, whatever the allowance; and further ones only if a whole one could follow.
        try send(1000, times: 3)
        #expect(try receive(ends.transport, atMost: 1).prefix(3) == [.bytes(1000), .bytes(1000), .bytes(1000)])
        try send(1000, times: 3)
        #expect(try receive(ends.transport, atMost: 1 << 18, room: 16384).prefix(2) == [.bytes(1000), .bytes(1000)])
        try send(1, times: 40)
        let results = try receive(ends.transport, atMost: 16384 + 10 * 1024 + 10)
        #expect(results.first == .bytes(11))
    }

    @Test func `what follows records opened together comes next: a message, an end, a forged record`() throws {
        for ending in ["message", "end", "forged"] {
            let ends = try endsWithoutTickets()
            try ends.sendFromServer([UInt8](repeating: 7, count: 1000))
            try ends.sendFromServer([UInt8](repeating: 7, count: 1000))
            switch ending {
            case "message": try ends.requestNewKeys()
            case "end": try ends.closeServer()
            default: try ends.sendRaw([0x17, 3, 3, 0, 40] + [UInt8](repeating: 7, count: 40))
            }
            switch ending {
            case "message": #expect(try receive(ends.transport, atMost: 1 << 18) == [.bytes(2000), .message])
            case "end":
                #expect(
                    try receive(ends.transport, atMost: 1 << 18) == [.bytes(2000), .endOfStream(isOrderly: true)])
            default: #expect(throws: TransportError.self) { try receive(ends.transport, atMost: 1 << 18) }
            }
            #expect(!ends.transport.holdsInput)
        }
    }

    @Test func `what the application sends is never too much to owe, what a peer asks for may be`() throws {
        let ends = try SecuredEnds()
        let transport = ends.transport
        try ends.blockSending()
        let afterSending = (transport.hasUnsent, transport.owesTooMuch)
        #expect(afterSending == (true, false))
        for _ in 0..<10_000 where !transport.owesTooMuch { try ends.receiveKeyUpdate() }
        let afterQuestions = transport.owesTooMuch
        #expect(afterQuestions)
    }

    @Test func `a closed transport neither sends nor receives, and owes nothing`() throws {
        let ends = try SecuredEnds.connected(SOCK_STREAM)
        let peer = Socket(descriptor: Descriptor(owning: ends[1]))
        let transport = Transport(
            socket: Socket(descriptor: Descriptor(owning: ends[0])),
            tls: try SecuredEnds.session(trusting: CertificateAuthority()))
        _ = try transport.shakeHands(with: [])
        #expect(transport.hasUnsent)
        transport.close()
        transport.close()

        #expect(!transport.hasUnsent && !transport.holdsInput && !transport.hasInput)
        let request = Array("GET".utf8)
        #expect(try unsafe request.withUnsafeBytes { try unsafe transport.send($0) } == 0)
        try transport.flush()
        transport.sayGoodbye()
        var byte = UInt8(0)
        #expect(try unsafe withUnsafeMutableBytes(of: &byte) { try unsafe transport.receive(into: $0) } == .wouldBlock)
        #expect(try unsafe withUnsafeMutableBytes(of: &byte) { try unsafe peer.receive(into: $0) } == .endOfStream)
    }
}
