// SPDX-License-Identifier: Apache-2.0

/// One run of one client, as its process reports it on one line of JSON.
struct Measurement: Codable, Sendable {
    var requests: UInt64
    var errors: UInt64
    /// From the first request to the end of the last one.
    var seconds: Double
    var userMicroseconds: Double
    var systemMicroseconds: Double
    /// The largest resident set of the process, in bytes; nil if it could not be read in time.
    var peakResidentBytes: Int?
    var p50Microseconds: Double
    var p90Microseconds: Double
    var p99Microseconds: Double

    var cpuMicrosecondsPerRequest: Double {
        requests == 0 ? .nan : (userMicroseconds + systemMicroseconds) / Double(requests)
    }

    var requestsPerSecond: Double { seconds == 0 ? .nan : Double(requests) / seconds }
}
