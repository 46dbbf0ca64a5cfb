// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import Testing

@testable import TernEngine

@Suite(.timeLimit(.minutes(1))) struct InboxTests {
    /// Only an address for commands. Nothing of it changes, hence `@unchecked Sendable`.
    private final class Sender: ConnectionRequester, @unchecked Sendable {
        let number: Int
        let hop: Hop
        let deadlines = Deadlines(limits: Timeouts(), start: MonotonicInstant(nanoseconds: 0))
        let (isCancelled, isRepeating, isRepeatable) = (false, false, true)
        var wait = Wait()
        var queueIndex: Int32 = -1

        init(_ number: Int) throws {
            self.number = number
            hop = Hop(request: try URLRequest(string: "http://a.test/"))
        }

        let answersServerTrust = false

        func answer(_ challenge: ServerTrustChallenge, _ question: ServerTrustQuestion) {}
        func took(_ step: ConnectionStep) {}
        func waits(since start: MonotonicInstant) {}
        func waited(since start: MonotonicInstant, until end: MonotonicInstant) {}
        func lost(_ connection: FailedConnectionMetrics) {}
        func begin(on connection: Connection, _ prepared: PreparedExchange?) -> Bool { true }
        func connectionFailed(_ failure: DialFailure) {}
        func perform(_ command: TaskCommand) {}
        func returned(_ command: TaskCommand) {}

        let takesOver = false
        let pace: Pace? = nil

        func exchangeBegan(on carrier: any Carrier) {}
        func room(for count: Int) -> UnsafeMutableRawBufferPointer? { nil }
        func received(_ event: ResponseEvent, of bytes: Span<UInt8>, _ allowance: inout TickAllowance) -> ContentTaken {
            .all
        }
        func handedOver(_ handover: Handover, _ evidence: Evidence) {}
        func sent(_ count: Int64, of length: Int64?) {}
        func exchangeEnded(_ reason: SessionError.Reason?, _ evidence: Evidence) {}
    }

    @Test func `commands are taken in the order they came, with their senders`() throws {
        let inbox = Inbox<Sender>()
        let senders = try (0..<3).map(Sender.init)
        for sender in senders { _ = inbox.add(.start, from: sender) }
        _ = inbox.add(.cancel, from: senders[1])
        var taken: [String] = []
        while let entry = inbox.next() { taken.append("\(entry.command) \(entry.sender.number)") }
        #expect(taken == ["start 0", "start 1", "start 2", "cancel 1"])
    }

    @Test func `a start that has not been performed is known, wherever it is`() throws {
        let inbox = Inbox<Sender>()
        for number in 0..<3 { _ = inbox.add(number == 1 ? .cancel : .start, from: try Sender(number)) }
        for numbers in [[0, 2], [0, 2], [2], [2], []] {
            #expect(inbox.starting.map(\.number) == numbers)
            _ = inbox.next()
        }
    }

    @Test func `the loop is woken with the first command, and again only once it has found none`() throws {
        let inbox = Inbox<Sender>()
        let sender = try Sender(0)
        #expect(inbox.next() == nil)
        #expect(inbox.add(.start, from: sender))
        #expect(!inbox.add(.start, from: sender))
        #expect(inbox.next() != nil)
        #expect(!inbox.add(.start, from: sender))
        #expect(inbox.next() != nil && inbox.next() != nil && inbox.next() == nil)
        #expect(inbox.add(.cancel, from: sender))
    }

    @Test func `it keeps a sender until its command has been performed`() throws {
        let inbox = Inbox<Sender>()
        weak var released: Sender?
        do {
            let sender = try Sender(0)
            released = sender
            _ = inbox.add(.start, from: sender)
        }
        _ = inbox.next()
        #expect(inbox.starting.first === released && released != nil)
        #expect(inbox.next() == nil && released == nil)
    }

    @Test func `no command is lost, however many threads write`() async throws {
        let inbox = Inbox<Sender>()
        let sender = try Sender(0)
        let counts = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { Self.write(2000, to: inbox, from: sender) } }
            return await group.reduce(0, +)
        }
        #expect(counts == 16_000)
    }

    /// Acts as the loop whenever it is woken. Returns the number of commands it has taken then.
    private static func write(_ count: Int, to inbox: Inbox<Sender>, from sender: Sender) -> Int {
        var taken = 0
        for _ in 0..<count where inbox.add(.start, from: sender) {
            while inbox.next() != nil { taken += 1 }
        }
        return taken
    }
}
