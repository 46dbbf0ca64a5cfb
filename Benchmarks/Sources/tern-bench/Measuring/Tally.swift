// SPDX-License-Identifier: Apache-2.0
// Safety: the latencies are lent for the run.

internal import CCurlMulti

/// What one client, or one of its loops, has done.
struct Tally: Sendable {
    var requests: UInt64 = 0
    var errors: UInt64 = 0
    var latencies = LatencyHistogram()

    /// Loops end early after this number of errors: a broken client is to be seen, not waited for.
    static let errorLimit: UInt64 = 1000

    /// Whether another request may begin.
    func goesOn(at now: UInt64, until deadline: UInt64) -> Bool { now < deadline && errors < Self.errorLimit }

    /// Counts a request as good if status and size are.
    mutating func record(status: Int, size: Int, of load: Load, from begin: UInt64, to end: UInt64) {
        guard status == 200, size == load.bodySize else {
            errors += 1
            return
        }
        requests += 1
        latencies.record(end - begin)
    }

    /// Counts an event, which says when it was sent.
    mutating func record(event: Substring, at now: UInt64) {
        guard let sent = UInt64(event), sent <= now else { return errors += 1 }
        requests += 1
        latencies.record(now - sent)
    }

    mutating func add(_ other: Tally) {
        requests += other.requests
        errors += other.errors
        latencies.add(other.latencies)
    }
}

extension Tally {
    /// What a client in C has done.
    init(_ run: (UnsafeMutablePointer<client_tally>) -> Void) {
        var result = unsafe client_tally()
        unsafe latencies.counts.withUnsafeMutableBufferPointer { counts in
            unsafe result.latencies = counts.baseAddress
            unsafe run(&result)
        }
        unsafe (requests, errors) = (result.requests, result.errors)
    }
}

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
