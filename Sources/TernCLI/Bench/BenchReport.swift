// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernDemo

/// The output of `tern bench`. The JSON keys are stable. Rates and latencies are those of responses that are no errors:
/// null without one.
struct BenchReport: Encodable {
    let url: String
    let connections: Int
    let threads: Int
    let seconds: Double
    let requests: Int
    let errors: Int
    /// The number of each kind.
    let errorKinds: [String: Int]
    /// Requests in progress when the time was up; they are not counted elsewhere.
    let unfinished: Int
    /// Nil without a success.
    let speed: Speed?
    let peakMemory: Int64

    /// The figures of successes.
    struct Speed {
        let requestsPerSecond: Double
        /// Microseconds of the process for each of them.
        let cpuPerRequest: Double
        let latency: Latency
    }

    /// Microseconds.
    struct Latency: Encodable {
        let p50, p90, p99, max: Double
    }

    init(
        url: String, connections: Int, threads: Int, result: LoadGenerator.Result, cpuMicroseconds: Int64,
        peakMemory: Int64
    ) {
        self.url = url
        self.connections = connections
        self.threads = threads
        seconds = result.seconds
        requests = result.requests
        errors = result.errors
        errorKinds = result.errorKinds
        unfinished = result.unfinished
        let histogram = result.histogram
        speed =
            histogram.count == 0
            ? nil
            : Speed(
                requestsPerSecond: Double(histogram.count) / max(result.seconds, .leastNonzeroMagnitude),
                cpuPerRequest: Double(cpuMicroseconds) / Double(histogram.count),
                latency: Latency(
                    p50: Double(histogram.percentile(0.5)) / 1000, p90: Double(histogram.percentile(0.9)) / 1000,
                    p99: Double(histogram.percentile(0.99)) / 1000, max: Double(histogram.maximum) / 1000))
        self.peakMemory = peakMemory
    }

    private enum CodingKeys: String, CodingKey {
        case url, connections, threads, seconds, requests, errors, unfinished
        case errorKinds = "errors_by_kind"
        case requestsPerSecond = "requests_per_second"
        case cpuPerRequest = "cpu_us_per_request"
        case latency = "latency_us"
        case peakMemory = "peak_rss_bytes"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(url, forKey: .url)
        try container.encode(connections, forKey: .connections)
        try container.encode(threads, forKey: .threads)
        try container.encode(seconds, forKey: .seconds)
        try container.encode(requests, forKey: .requests)
        try container.encode(errors, forKey: .errors)
        try container.encode(errorKinds, forKey: .errorKinds)
        try container.encode(unfinished, forKey: .unfinished)
        try container.encode(speed?.requestsPerSecond, forKey: .requestsPerSecond)
        try container.encode(speed?.cpuPerRequest, forKey: .cpuPerRequest)
        try container.encode(speed?.latency, forKey: .latency)
        try container.encode(peakMemory, forKey: .peakMemory)
    }

    var text: String {
        let sum = "\(requests) requests in \(Self.fixed(seconds, 2)) s, \(errors) errors, \(unfinished) unfinished"
        let memory = "\(Self.fixed(Double(peakMemory) / 1_048_576, 1)) MB peak memory"
        guard let speed else { return "\(sum)\(errorText)\n\(memory)" }
        let (latency, rate) = (speed.latency, Self.fixed(speed.requestsPerSecond, 0))
        return """
            \(sum)\(errorText)
            \(rate) \(errors == 0 ? "requests" : "successes")/s, \(Self.fixed(speed.cpuPerRequest, 2)) µs CPU per request, \
            \(memory)
            latency µs: p50 \(Self.fixed(latency.p50, 0)), p90 \(Self.fixed(latency.p90, 0)), \
            p99 \(Self.fixed(latency.p99, 0)), max \(Self.fixed(latency.max, 0))
            """
    }

    private var errorText: String {
        errorKinds.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\n  \($0.value) × \($0.key)" }.joined()
    }

    private static func fixed(_ value: Double, _ digits: Int) -> String {
        DecimalText.fixed(value, digits: digits)
    }
}
