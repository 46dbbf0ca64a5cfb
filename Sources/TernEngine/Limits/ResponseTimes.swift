// SPDX-License-Identifier: Apache-2.0
import TernIO
import TernLock

/// How long the hosts of a session take to answer: the last of the times from a request to the head of its response.
final class ResponseTimes: Sendable {
    /// Fewer say nothing of a percentile.
    static let minimumCount = 16
    private static let maximumCount = 128
    /// Times that are older than this are of another host, in effect.
    private static let lifetime = Duration.seconds(600)

    /// Guarded by the lock.
    private final class Record: HostRecord, @unchecked Sendable {
        private var times: [Duration] = []
        private var next = 0
        private var last: MonotonicInstant

        init(at now: MonotonicInstant) { last = now }

        var isNewFrom: MonotonicInstant { last.advanced(by: ResponseTimes.lifetime) }

        func add(_ time: Duration, at now: MonotonicInstant) {
            if last.duration(to: now) > ResponseTimes.lifetime { (times, next) = ([], 0) }
            last = now
            if times.count < ResponseTimes.maximumCount { return times.append(time) }
            times[next] = time
            next = (next + 1) % ResponseTimes.maximumCount
        }

        func percentile(_ share: Double) -> Duration? {
            if times.count < ResponseTimes.minimumCount { return nil }
            let sorted = times.sorted()
            let place = share.isNaN ? 1 : min(max(share, 0), 1)
            let index = (Double(sorted.count) * place).rounded(.up)
            return sorted[min(max(Int(index) - 1, 0), sorted.count - 1)]
        }
    }

    private let hosts = Lock(HostTable<Record>(maximum: 1024))

    /// A host has answered within this time.
    func add(_ time: Duration, of host: String, at now: MonotonicInstant) {
        hosts.withLock { $0.record(of: host, at: now) { Record(at: now) }.add(time, at: now) }
    }

    /// The time within which this share of the host's answers came; nil as long as there are too few of them.
    ///
    /// - Parameter share: from 0 to 1.
    func percentile(_ share: Double, of host: String, at now: MonotonicInstant) -> Duration? {
        hosts.withLock { $0.record(of: host, at: now) { Record(at: now) }.percentile(share) }
    }
}
