// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
import TernLock

@Suite(.timeLimit(.minutes(5))) struct TickAllowanceTests {
    /// Counts the bytes that are delivered in each tick of the reactor's loop.
    private final class Turns: Sendable {
        private let counts = Lock<[UInt64: Int]>([:])

        func note(_ count: Int, in turn: UInt64) { counts.withLock { $0[turn, default: 0] += count } }

        var most: Int { counts.withLock { $0.values.max() ?? 0 } }
    }

    private static let count = 20_000
    /// Each too much to be delivered together with the next.
    private static let pieces = ["a", "b", "c", "d"].map { String(repeating: $0, count: 4096) }

    /// Lets everything arrive before the body's first byte is delivered, so that all of it could be delivered in one
    /// tick.
    private func receive(from origin: ScriptedOrigin, _ session: Session, waitingFor bytes: Int) async throws -> Int {
        let turns = Turns()
        let loop = try #require(session.firstLoop)
        let delegate = RecordingDelegate { _, event in
            if event == .head(200) {
                #expect(throws: Never.self) { try origin.release() }
                #expect(ClientSockets.waitForInput(of: bytes, from: origin.port))
            }
            if case .body(let count) = event { turns.note(count, in: loop.tick) }
        }
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        let record = await delegate.end()
        #expect(record.error == nil)
        #expect(record.body.count == Self.count)
        return turns.most
    }

    @Test func `the more are ready in one tick, the less each may have, and the minimum is more than a TLS record`() {
        #expect([0, 1, 16].allSatisfy { TickAllowance(among: $0).left == TickAllowance.maximum })
        #expect(TickAllowance(among: 64).left == TickAllowance.maximum / 4)
        #expect([1, 4].allSatisfy { TickAllowance(among: $0, atMost: TickAllowance.bulk).left == TickAllowance.bulk })
        #expect(TickAllowance(among: 16, atMost: TickAllowance.bulk).left == TickAllowance.maximum)
        #expect(TickAllowance(among: 512).left == TickAllowance.least)
        #expect(TickAllowance.least > 16 * 1024 + 512)
    }

    @Test func `bytes are paid for once, when they have been processed`() {
        var allowance = TickAllowance(among: 1, receivedCount: 1000)
        allowance.settle(1000)
        #expect(allowance.left == TickAllowance.maximum)
        allowance.settle(1500)
        allowance.settle(1500)
        #expect(allowance.left == TickAllowance.maximum - 500)
        allowance.spend(TickAllowance.event)
        allowance.settle(1501)
        #expect(allowance.left == TickAllowance.maximum - 501 - TickAllowance.event)
        #expect(!allowance.isSpent)
        allowance.settle(1501 + UInt64(TickAllowance.maximum))
        #expect(allowance.isSpent)
    }

    @Test func `a count that has gone once around is no windfall`() {
        var allowance = TickAllowance(among: 1, receivedCount: .max)
        allowance.settle(9)
        #expect(allowance.left == TickAllowance.maximum - 10)
        var other = TickAllowance(among: 1)
        other.settle(.max)
        #expect(other.isSpent)
    }

    @Test func `the number of one-byte chunks delivered in a tick is limited`() async throws {
        let chunks = String(repeating: "1\r\nx\r\n", count: Self.count) + "0\r\n\r\n"
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .hold, .send(chunks)]
        }
        let most = try await receive(from: origin, .limited(), waitingFor: 100_000)
        #expect(most > 1000 && most <= TickAllowance.maximum / TickAllowance.chunk + 1)
    }

    @Test func `the number of one-byte TLS records opened in a tick is limited`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.count)\r\n\r\n"), .hold,
                .repeat([120], count: Self.count),
            ]
        }
        let most = try await receive(from: origin, .trusting(authority), waitingFor: 100_000)
        #expect(most > 50 && most <= TickAllowance.maximum / TickAllowance.record + 1)
    }

    @Test(arguments: [false, true])
    func `a tick delivers no more of a long body than is received at once`(isSecure: Bool) async throws {
        // What is received ends within a record nearly always.
        let limit = (isSecure ? TickAllowance.maximum : TickAllowance.bulk) + 16 * 1024
        #expect(try await mostOfLongBody(isSecure: isSecure) <= limit)
    }

    @Test func `a tick receives more of a long body that comes fast`() async throws {
        var most = 0
        // One body may seem slow, because the origin may be kept from its processor.
        for _ in 0..<20 where most <= TickAllowance.maximum {
            most = try await mostOfLongBody(isSecure: false)
            #expect(most <= TickAllowance.bulk)
        }
        #expect(most > TickAllowance.maximum)
    }

    /// The most that a tick delivers of 32 MB as fast as they can come.
    private func mostOfLongBody(isSecure: Bool) async throws -> Int {
        let count = 32 << 20
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n"),
                .repeat([UInt8](repeating: 120, count: 1 << 16), count: count >> 16),
            ]
        }
        let session = try Session.trusting(authority)
        let turns = Turns()
        let loop = try #require(session.firstLoop)
        let delegate = RecordingDelegate { _, event in
            if case .body(let count) = event { turns.note(count, in: loop.tick) }
        }
        session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
        let record = await delegate.end()
        #expect(record.error == nil)
        #expect(record.body.count == count)
        return turns.most
    }

    @Test(arguments: [false, true])
    func `a task that pauses within received bytes gets no more of them`(isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, _ in
            [.chunked(Self.pieces)]
        }
        let session = try Session.trusting(authority)
        let delegate = RecordingDelegate { task, event in if case .body = event { task.suspend() } }
        let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
        task.resume()
        let text = Self.pieces.joined()
        var (told, stops) = (0, 0)
        while told < text.utf8.count {
            await delegate.wait { [told] in $0.body.count > told }
            for _ in 0..<3 { await session.settle() }
            (told, stops) = (delegate.record.body.count, stops + 1)
            #expect(delegate.record.body == Array(text.utf8.prefix(told)))
            #expect(delegate.record.events.count { if case .body = $0 { true } else { false } } == stops)
            task.resume()
        }
        #expect(stops >= Self.pieces.count)
        #expect(await delegate.end().error == nil)
        #expect(try await session.text(URLRequest(origin)) == text)
        #expect(origin.connectionCount == 1)
    }

    @Test func `a task that is cancelled while some of its response is held leaves nothing behind`() async throws {
        let chunks = String(repeating: "1\r\nx\r\n", count: Self.count) + "0\r\n\r\n"
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)]
        }
        let session = Session.limited()
        let delegate = RecordingDelegate { task, event in if case .body = event { task.suspend() } }
        let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
        task.resume()
        await delegate.wait { !$0.body.isEmpty }
        task.cancel()
        #expect(await delegate.end().error?.reason.isCancellation == true)
        #expect(ClientSockets.count(to: origin.port) == 0)
    }
}
