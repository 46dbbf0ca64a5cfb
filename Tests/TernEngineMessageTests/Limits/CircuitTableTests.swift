// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernIO
import TernLock
import Testing

@testable import TernEngine

@Suite(.timeLimit(.minutes(1))) struct CircuitTableTests {
    private static let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

    private func table(maximum: Int = 4096, probes: Int = 1) -> CircuitTable {
        CircuitTable(
            CircuitMachine.Rules(
                window: .seconds(10), minimumRequests: 4, failureRate: 0.5, openTime: .seconds(5),
                maximumOpenTime: .seconds(20), probes: probes),
            maximum: maximum)
    }

    private func pass(_ table: CircuitTable, _ host: String = "a.test:80", after seconds: Int = 0) -> CircuitPass? {
        guard case .pass(let pass) = table.ask(host, at: Self.start.advanced(by: .seconds(seconds))) else { return nil }
        return pass
    }

    private func fail(_ table: CircuitTable, _ host: String = "a.test:80", after seconds: Int = 0, times: Int = 4) {
        for _ in 0..<times {
            pass(table, host, after: seconds)?.end(failed: true, at: Self.start.advanced(by: .seconds(seconds)))
        }
    }

    @Test func `each host has a state of its own`() {
        let table = table()
        fail(table)
        #expect(pass(table) == nil && pass(table, "a.test:81") != nil && pass(table, "b.test:80") != nil)
        let readings = table.readings(at: Self.start)
        #expect(readings.count == 1 && readings.first?.host == "a.test:80" && readings.first?.reading.state == .open)
    }

    @Test func `a pass counts once, and one that is released gives its place back`() throws {
        let table = table()
        let first = try #require(pass(table))
        for _ in 0..<4 { first.end(failed: true, at: Self.start) }
        first.giveBack()
        #expect(table.readings(at: Self.start).map(\.reading.requests) == [1])
        fail(table, times: 3)
        var probe = pass(table, after: 5)
        #expect(probe != nil && pass(table, after: 5) == nil)
        probe = nil
        #expect(pass(table, after: 5) != nil)
    }

    @Test func `the table is bounded, forgets what is over, and keeps what is open as long as others are there`() {
        let table = table(maximum: 2048)
        for number in 0..<20_000 { fail(table, "host\(number)", times: 1) }
        #expect(table.count == 2048)
        let others = self.table()
        fail(others, "bad")
        for number in 0..<20_000 { fail(others, "host\(number)", after: number / 2000, times: 1) }
        #expect(others.count == 4096 && pass(others, "bad", after: 1) == nil)
    }

    /// Runs `body` on this number of threads, and waits for their end.
    private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
        await withCheckedContinuation { continuation in
            let left = Lock(count)
            for thread in 0..<count {
                Thread.detachNewThread {
                    body(thread)
                    let isLast = left.withLock { left in
                        left -= 1
                        return left == 0
                    }
                    if isLast { continuation.resume() }
                }
            }
        }
    }

    @Test func `sixteen threads send no more probes than there may be, and open and close it together`() async {
        let (table, threads, askings) = (table(probes: 3), 16, 50)
        // All threads ask at once, and then report at once: a closed breaker opens, and the probes close it.
        for round in 0..<40 {
            let time = round * 5
            let passes = Lock<[CircuitPass]>([])
            await onThreads(threads) { _ in
                for _ in 0..<askings {
                    if let pass = pass(table, after: time) { passes.withLock { $0.append(pass) } }
                }
            }
            let passed = passes.withLock { $0 }
            let isClosed = round % 2 == 0
            #expect(passed.count == (isClosed ? threads * askings : 3), "round \(round)")
            await onThreads(threads) { thread in
                for index in passed.indices where index % threads == thread {
                    passed[index].end(failed: isClosed, at: Self.start.advanced(by: .seconds(time)))
                }
            }
        }
    }
}
