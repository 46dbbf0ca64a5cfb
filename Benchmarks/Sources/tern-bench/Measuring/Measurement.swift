// SPDX-License-Identifier: Apache-2.0

/// One run of one client, as its process reports it on one line of JSON.
struct Measurement: Codable, Sendable {
    var requests: UInt64
    var errors: UInt64
    /// From the first request to the end of the last one.
    var seconds: Double
    var userMicroseconds: Double
    var systemMicroseconds: Double
    /// What the client added to the largest resident set of its process, in bytes: most live in the benchmark's own
    /// program, which holds every Swift peer's code. That of a program of its own is whole, and nil if it could not be
    /// read in time.
    var residentBytes: Int?
    var p50Microseconds: Double
    var p90Microseconds: Double
    var p99Microseconds: Double

    var cpuMicrosecondsPerRequest: Double { (userMicroseconds + systemMicroseconds) / Double(requests) }

    var requestsPerSecond: Double { Double(requests) / seconds }
}

extension [Measurement] {
    /// The median of each round's own ratio to the sum of what `parts` took in it; nil where there is nothing to
    /// compare.
    func ratio(to parts: [[Measurement]], _ figure: (Measurement) -> Double) -> Double? {
        guard parts.allSatisfy({ $0.count == count }) else { return nil }
        return indices.compactMap { round in
            let others = parts.map { $0[round] }
            guard self[round].requests > 0, others.allSatisfy({ $0.requests > 0 }) else { return nil }
            return figure(self[round]) / others.reduce(0) { $0 + figure($1) }
        }.median
    }
}
