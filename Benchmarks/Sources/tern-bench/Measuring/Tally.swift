// SPDX-License-Identifier: Apache-2.0

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
