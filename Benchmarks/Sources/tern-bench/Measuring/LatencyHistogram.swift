// SPDX-License-Identifier: Apache-2.0

internal import CCurlMulti

/// Counts of latencies in buckets at most 3.2% wide. All clients fill the same buckets, libcurl's from C.
struct LatencyHistogram: Sendable {
    var counts = [UInt64](repeating: 0, count: Int(LATENCY_BUCKETS))

    mutating func record(_ nanoseconds: UInt64) { counts[Int(latency_bucket(nanoseconds))] += 1 }

    mutating func add(_ other: LatencyHistogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
    }

    /// The latency in microseconds that the share (0...1) of all requests did not exceed; 0 without requests.
    func microseconds(atShare share: Double) -> Double {
        let total = counts.reduce(0, +)
        var seen: UInt64 = 0
        for (bucket, count) in counts.enumerated() where count > 0 {
            seen += count
            if Double(seen) >= share * Double(total) { return Double(latency_of_bucket(UInt32(bucket))) / 1000 }
        }
        return 0
    }
}
