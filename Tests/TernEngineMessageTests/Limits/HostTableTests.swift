// SPDX-License-Identifier: Apache-2.0
import TernIO
import Testing

@testable import TernEngine

@Suite(.timeLimit(.minutes(1))) struct HostTableTests {
    private final class Record: HostRecord {
        private let instant: Int64
        private let look: () -> Void

        init(isNewFrom instant: Int64, _ look: @escaping () -> Void = {}) {
            self.instant = instant
            self.look = look
        }

        var isNewFrom: MonotonicInstant {
            look()
            return MonotonicInstant(nanoseconds: instant)
        }
    }

    private static func instant(_ nanoseconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: nanoseconds) }

    @Test func `a new host costs a look at a few others, however many are in use`() {
        var table = HostTable<Record>(maximum: 4096)
        var looks = 0
        for number in 0..<20_000 {
            let before = looks
            _ = table.record(of: "host\(number)", at: Self.instant(0)) {
                Record(isNewFrom: .max) { looks += 1 }
            }
            #expect(looks - before <= 8)
        }
        #expect(table.count == 4096)
    }

    @Test func `records that are as good as new are forgotten, and others are kept`() {
        var table = HostTable<Record>(maximum: 100_000)
        for number in 0..<100_000 {
            let now = Int64(number)
            _ = table.record(of: "host\(number)", at: Self.instant(now)) { Record(isNewFrom: now + 3000) }
            #expect(table.count <= 4000)
        }
        for number in 97_001..<100_000 {
            var isKept = true
            _ = table.record(of: "host\(number)", at: Self.instant(100_000)) {
                isKept = false
                return Record(isNewFrom: 0)
            }
            #expect(isKept)
        }
    }

    @Test func `a record that something uses is kept, even above the maximum`() {
        var table = HostTable<Record>(maximum: 16)
        let used = (0..<100).map { number in
            table.record(of: "used\(number)", at: Self.instant(0)) { Record(isNewFrom: 0) }
        }
        #expect(table.count == 100)
        for number in 0..<1000 {
            _ = table.record(of: "host\(number)", at: Self.instant(1)) { Record(isNewFrom: 0) }
        }
        for (number, record) in used.enumerated() {
            #expect(table.record(of: "used\(number)", at: Self.instant(1)) { Record(isNewFrom: 0) } === record)
        }
        #expect(table.count < 120)
    }

    @Test func `at the maximum the record that is new soonest goes`() {
        var table = HostTable<Record>(maximum: 4)
        for number in [3, 1, 4, 2] as [Int64] {
            _ = table.record(of: "host\(number)", at: Self.instant(0)) { Record(isNewFrom: number) }
        }
        _ = table.record(of: "host5", at: Self.instant(0)) { Record(isNewFrom: 5) }
        var made: [String] = []
        for host in ["host2", "host3", "host4", "host5"] {
            _ = table.record(of: host, at: Self.instant(0)) {
                made.append(host)
                return Record(isNewFrom: 9)
            }
        }
        #expect(made == [])
    }
}
