// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernTesting
import Testing

@testable import TernTLS

struct MessageCreditTests {
    let root: CertificateAuthority

    init() throws { root = try CertificateAuthority() }

    @Test func `messages are few, and more of them are earned by data`() {
        var credit = MessageCredit()
        var answers = (0..<32).map { _ in credit.spend(1) }
        credit.earn(511)
        credit.earn(1)
        answers.append(credit.spend(1))
        credit.earn(1 << 20)
        answers.append(credit.spend(32))
        #expect(!answers.contains(false))
        answers.append(credit.spend(1))
        #expect(answers.last == false)
    }

    /// What a server can say for ever without a byte of application data.
    enum Message: CaseIterable, Sendable {
        case keyUpdate, ticket, helloRequest

        var version: TLSProtocolVersion { self == .helloRequest ? .v1_2 : .v1_3 }

        func send(from server: ServerEngine) throws {
            switch self {
            case .keyUpdate: server.updateKey()
            case .ticket: server.issueTicket()
            case .helloRequest: server.requestHandshake()
            }
            _ = try? server.handshake()
        }
    }

    private func open(_ message: Message) throws -> Dialogue {
        let dialogue = try Dialogue(root: root) {
            $0.minimumVersion = message.version
            $0.maximumVersion = message.version
        }
        _ = try dialogue.open(dialogue.handshake())
        return dialogue
    }

    @Test(arguments: Message.allCases, [false, true])
    func `a server that says nothing but messages is left after a few`(message: Message, inOnePiece: Bool) throws {
        let dialogue = try open(message)
        let before = dialogue.messages
        var piece: [UInt8] = []
        for _ in 0..<100 {
            try message.send(from: dialogue.server)
            piece += dialogue.server.send()
            if inOnePiece { continue }
            // Bytes that arrive in chunks, too, and records that are split.
            let cut = piece.count / 2
            do {
                _ = try dialogue.open(Array(piece[..<cut]))
                _ = try dialogue.open(Array(piece[cut...]))
            } catch let error as TLSError {
                #expect(error.reason == .tooManyMessages(limit: 32))
                #expect(dialogue.messages - before <= 32)
                return
            }
            piece = []
        }
        #expect {
            try dialogue.open(piece)
        } throws: { error in
            (error as? TLSError)?.reason == .tooManyMessages(limit: 32)
        }
        #expect(dialogue.messages - before <= 32)
    }

    // A server that is refused a new handshake says goodbye.
    @Test(arguments: [Message.keyUpdate, .ticket]) func `between data messages are welcome`(message: Message) throws {
        let dialogue = try open(message)
        let data = [UInt8](repeating: 7, count: 1000)
        for _ in 0..<200 {
            try message.send(from: dialogue.server)
            // It replies during the handshake, and sends another request only after a reply.
            dialogue.server.receive(dialogue.takeOutgoing())
            try dialogue.server.write(data)
            #expect(try dialogue.open(dialogue.server.send()).bytes == data)
            dialogue.server.receive(dialogue.takeOutgoing())
            _ = try dialogue.server.read()
        }
        #expect(dialogue.messages >= 100)
    }

    @Test func `data in the smallest of records earns no messages`() throws {
        let dialogue = try open(.keyUpdate)
        var count = 0
        #expect(throws: TLSError.self) {
            for _ in 0..<1000 {
                dialogue.server.updateKey()
                try dialogue.server.write([7])
                count += try dialogue.open(dialogue.server.send()).bytes.count
            }
        }
        // A key update that asks for one counts for two.
        #expect(count >= 15 && count <= 32)
    }

    @Test(arguments: [1, 2, 7]) func `records that come in drops cost nothing`(step: Int) throws {
        let dialogue = try open(.keyUpdate)
        dialogue.step = step
        for _ in 0..<20 {
            try dialogue.server.write([UInt8](repeating: 7, count: 40))
            #expect(try dialogue.open(dialogue.server.send()).bytes.count == 40)
        }
        #expect(dialogue.messages == 0 || dialogue.messages <= 2)
    }
}
