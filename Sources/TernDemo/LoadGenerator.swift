// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import TernEngine
import TernLock

/// A closed loop of GET requests through the public async API: each worker sends its next request when it has a
/// response.
package struct LoadGenerator: Sendable {
    /// A worker stops after this number of failures without a response, so that it does not become a busy loop.
    private static let hopelessFailures = 100

    private let request: URLRequest
    private let connections: Int
    private let duration: Duration
    private let session: Session

    package init(request: URLRequest, connections: Int, duration: Duration, session: Session) {
        (self.request, self.connections, self.duration, self.session) = (request, connections, duration, session)
    }

    package struct Result: Sendable {
        /// Of the responses that are no errors.
        package internal(set) var histogram = LatencyHistogram()
        package internal(set) var errorKinds: [String: Int] = [:]
        /// In progress when the time was up.
        package internal(set) var unfinished = 0
        package internal(set) var firstError: SessionError?
        package internal(set) var seconds = 0.0

        package var requests: Int { Int(histogram.count) + errors }
        package var errors: Int { errorKinds.values.reduce(0, +) }

        mutating func merge(_ other: Result) {
            histogram.merge(other.histogram)
            errorKinds.merge(other.errorKinds, uniquingKeysWith: +)
            unfinished += other.unfinished
            firstError = firstError ?? other.firstError
        }
    }

    /// The results of one reactor's workers: one for all of them, because the memory is part of the measurement.
    private final class Tally: Sendable {
        let result = Lock(Result())
    }

    /// Runs the load on the session's reactors until its time is up.
    package func run() async -> Result {
        let start = ContinuousClock.now
        let end = start.advanced(by: duration)
        let executors = session.executors
        let tallies = (0..<max(1, executors.count)).map { _ in Tally() }
        let workers = (0..<connections).map { index in
            let tally = tallies[index % tallies.count]
            return Task(executorPreference: executors.isEmpty ? nil : executors[index % executors.count]) {
                await work(until: end, tally)
            }
        }
        let alarm = Task {
            try await Task.sleep(until: end, clock: .continuous)
            for worker in workers { worker.cancel() }
        }
        for worker in workers { await worker.value }
        alarm.cancel()
        var result = Result()
        for tally in tallies { result.merge(tally.result.withLock { $0 }) }
        result.seconds = (ContinuousClock.now - start) / .seconds(1)
        return result
    }

    private func work(until end: ContinuousClock.Instant, _ tally: Tally) async {
        var before = ContinuousClock.now
        var (failures, answers) = (0, 0)
        while before < end, failures < Self.hopelessFailures || answers > 0 {
            var error: SessionError?
            var status = 0
            do throws(SessionError) {
                status = try await session.data(for: request).1.statusCode
                answers += 1
            } catch let failure {
                error = failure
                failures += 1
            }
            let after = ContinuousClock.now
            let isInTime = tally.result.withLock { $0.note(status, error, after - before) }
            if !isInTime { return }
            before = after
        }
    }
}

extension LoadGenerator.Result {
    /// - Returns: whether the request was over before the time was.
    fileprivate mutating func note(_ status: Int, _ error: SessionError?, _ latency: Duration) -> Bool {
        if let error {
            if case .cancelled = error.reason {
                unfinished += 1
                return false
            }
            errorKinds[Self.kind(of: error.reason), default: 0] += 1
            firstError = firstError ?? error
        } else if status >= 400 {
            errorKinds["status \(status)", default: 0] += 1
        } else {
            histogram.record(nanoseconds: UInt64(clamping: Int64(latency / .nanoseconds(1))))
        }
        return true
    }

    /// Only fixed texts and those of the system: a peer's texts could make as many kinds as there are requests.
    private static func kind(of reason: SessionError.Reason) -> String {
        switch reason {
        case .connecting(.unreachable), .transfer(.malformedResponse), .timedOut: "\(reason.kind): \(reason.rule)"
        case .request, .connecting, .transfer, .download, .response, .cancelled, .sessionInvalidated, .system, .program:
            reason.kind.rawValue
        }
    }
}

/// Counts latencies in buckets less than 1.6 % wide, from 1 ns up; takes 30 KB.
package struct LatencyHistogram: Sendable {
    /// The number of buckets for each power of two.
    private static let steps: UInt64 = 64

    private var counts = [UInt64](repeating: 0, count: 64 * 59)
    package private(set) var count: UInt64 = 0
    package private(set) var maximum: UInt64 = 0

    mutating func record(nanoseconds: UInt64) {
        counts[Self.bucket(nanoseconds)] += 1
        count += 1
        maximum = max(maximum, nanoseconds)
    }

    mutating func merge(_ other: LatencyHistogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        count += other.count
        maximum = max(maximum, other.maximum)
    }

    /// The latency that the given share of all is at or below, in nanoseconds; 0 if there are none.
    package func percentile(_ share: Double) -> UInt64 {
        let wanted = UInt64((Double(count) * share).rounded(.up))
        var seen: UInt64 = 0
        for (bucket, count) in counts.enumerated() where count > 0 {
            seen += count
            if seen >= wanted { return min(Self.upperBound(bucket), maximum) }
        }
        return maximum
    }

    /// Below 64 a bucket per nanosecond; above, 64 buckets per power of two.
    private static func bucket(_ value: UInt64) -> Int {
        if value < steps { return Int(value) }
        let exponent = 63 - value.leadingZeroBitCount
        let step = (value >> UInt64(exponent - 6)) & (steps - 1)
        return Int(steps) * (exponent - 5) + Int(step)
    }

    private static func upperBound(_ bucket: Int) -> UInt64 {
        if bucket < Int(steps) { return UInt64(bucket) }
        let exponent = bucket / Int(steps) + 5
        let step = UInt64(bucket % Int(steps))
        return ((steps + step + 1) << UInt64(exponent - 6)) &- 1
    }
}
