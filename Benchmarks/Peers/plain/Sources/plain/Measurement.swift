// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What was done; latencies in buckets of at most 3.2%, as all clients of the comparison keep them.
struct Tally: Sendable {
    private(set) var requests = 0
    private(set) var errors = 0
    private var latencies = [Int](repeating: 0, count: 64 * 32)

    mutating func record(_ isRight: Bool, _ latency: Duration) {
        guard isRight else { return errors += 1 }
        requests += 1
        latencies[Self.bucket(max(0, Int(latency / .nanoseconds(1))))] += 1
    }

    mutating func add(_ other: Tally) {
        requests += other.requests
        errors += other.errors
        for index in latencies.indices { latencies[index] += other.latencies[index] }
    }

    /// The latency that this share of the requests did not exceed.
    func microseconds(_ share: Double) -> Double {
        var seen = 0
        for (bucket, count) in latencies.enumerated() where count > 0 {
            seen += count
            if Double(seen) >= share * Double(requests) { return Double(Self.middle(of: bucket)) / 1000 }
        }
        return 0
    }

    private static func bucket(_ nanoseconds: Int) -> Int {
        if nanoseconds < 64 { return nanoseconds }
        let power = 63 - nanoseconds.leadingZeroBitCount
        return (power - 4) * 32 + ((nanoseconds >> (power - 5)) & 31)
    }

    private static func middle(of bucket: Int) -> Int {
        if bucket < 64 { return bucket }
        let width = 1 << (bucket / 32 + 4 - 5)
        return (32 + bucket % 32) * width + width / 2
    }
}

/// User and system time of this process so far, in microseconds.
struct ProcessorTime {
    let user: Double
    let system: Double

    static var now: ProcessorTime {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func microseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e6 + Double(time.tv_usec) }
        return ProcessorTime(user: microseconds(usage.ru_utime), system: microseconds(usage.ru_stime))
    }
}

/// One run, as the comparison reads it.
struct Measurement: Encodable {
    let requests: Int
    let errors: Int
    let seconds: Double
    let userMicroseconds: Double
    let systemMicroseconds: Double
    let p50Microseconds: Double
    let p90Microseconds: Double
    let p99Microseconds: Double
    let residentBytes: Int?

    init(_ tally: Tally, _ duration: Duration, since before: ProcessorTime) {
        let after = ProcessorTime.now
        (requests, errors, seconds) = (tally.requests, tally.errors, duration / .seconds(1))
        (userMicroseconds, systemMicroseconds) = (after.user - before.user, after.system - before.system)
        p50Microseconds = tally.microseconds(0.5)
        p90Microseconds = tally.microseconds(0.9)
        p99Microseconds = tally.microseconds(0.99)
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        residentBytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map {
            $0 * 1024
        }
    }

    func json() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
}
