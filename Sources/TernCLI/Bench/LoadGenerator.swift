// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern

/// A closed loop of GET requests through the public async API: each worker sends its next request when it has its answer.
struct LoadGenerator: Sendable {
    let request: Tern.URLRequest
    let connections: Int
    let duration: Duration
    let session: Session

    struct Result: Sendable {
        var histogram = LatencyHistogram()
        var errors = 0
        var firstError: EngineError?
        var seconds = 0.0

        var requests: Int { Int(histogram.count) }

        mutating func merge(_ other: Result) {
            histogram.merge(other.histogram)
            errors += other.errors
            firstError = firstError ?? other.firstError
        }
    }

    /// Runs the load on the session's reactors. `progress` hears about each worker's count now and then.
    func run() async -> Result {
        let start = ContinuousClock.now
        let executors = session.executors
        let workers = (0..<connections).map { index in
            Task(executorPreference: executors.isEmpty ? nil : executors[index % executors.count]) {
                await work(until: start.advanced(by: duration))
            }
        }
        var result = Result()
        for worker in workers { result.merge(await worker.value) }
        result.seconds = (ContinuousClock.now - start) / .seconds(1)
        return result
    }

    private func work(until end: ContinuousClock.Instant) async -> Result {
        var result = Result()
        var before = ContinuousClock.now
        while before < end {
            do throws(EngineError) {
                let (_, response) = try await session.data(for: request)
                if response.statusCode >= 400 { result.errors += 1 }
            } catch {
                result.errors += 1
                result.firstError = result.firstError ?? error
            }
            let after = ContinuousClock.now
            result.histogram.record(nanoseconds: UInt64(clamping: Int64((after - before) / .nanoseconds(1))))
            before = after
            // A server that refuses every connection at once must not become a busy loop.
            if result.errors > 10_000, result.errors == result.requests { break }
        }
        return result
    }
}
