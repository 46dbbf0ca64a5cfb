// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernLock

/// A closed loop of GET requests through the public async API: each worker sends its next request when it has a
/// response.
struct LoadGenerator: Sendable {
    /// A worker stops after this number of failures without a response, so that it does not become a busy loop.
    private static let hopelessFailures = 100

    let request: Tern.URLRequest
    let connections: Int
    let duration: Duration
    let session: Session

    struct Result: Sendable {
        /// Of the responses that are no errors.
        var histogram = LatencyHistogram()
        var errorKinds: [String: Int] = [:]
        /// In progress when the time was up.
        var unfinished = 0
        var firstError: SessionError?
        var seconds = 0.0

        var requests: Int { Int(histogram.count) + errors }
        var errors: Int { errorKinds.values.reduce(0, +) }

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
    func run() async -> Result {
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
        case .request, .connecting, .transfer, .download, .cancelled, .sessionInvalidated, .system: reason.kind.rawValue
        }
    }
}
