// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernIO
import TernLock

/// How many retries each host of a session may cost, in relation to the requests to it.
///
/// Requests are counted from the first retry that a host wants, until no host has wanted one for a while: a session without
/// retries reads one flag for each request.
final class RetryBudget: Sendable {
    /// The time that a budget is for. What is counted begins anew after half of it, and the half before counts, too.
    static let window = Duration.seconds(10)

    private struct State: ~Copyable {
        var hosts = HostTable<Record>(maximum: 4096)
        var lastRetry = MonotonicInstant(nanoseconds: 0)
    }

    /// Guarded by the lock of the state.
    private final class Record: HostRecord, @unchecked Sendable {
        private struct Counts {
            var requests = 0
            var retries = 0
        }

        private var counts = Counts()
        private var earlier = Counts()
        private var begun: MonotonicInstant

        init(at now: MonotonicInstant) { begun = now }

        var isNewFrom: MonotonicInstant { begun.advanced(by: RetryBudget.window) }

        private func roll(to now: MonotonicInstant) {
            let half = RetryBudget.window / 2
            let elapsed = begun.duration(to: now)
            if elapsed < half { return }
            earlier = elapsed < RetryBudget.window ? counts : Counts()
            (counts, begun) = (Counts(), now)
        }

        func addRequest(at now: MonotonicInstant) {
            roll(to: now)
            counts.requests &+= 1
        }

        func addRetry(share: Double, floor: Int, at now: MonotonicInstant) -> Bool {
            roll(to: now)
            let allowed = max(Double(floor), share * Double(counts.requests &+ earlier.requests))
            guard Double(counts.retries &+ earlier.retries &+ 1) <= allowed else { return false }
            counts.retries &+= 1
            return true
        }
    }

    private let state = Lock(State())
    private let isWatching = Atomic<Bool>(false)

    /// A request to `host` begins, which is no retry.
    @inline(__always)
    func began(_ host: @autoclosure () -> String?) {
        if isWatching.load(ordering: .relaxed), let host = host() { count(host) }
    }

    private func count(_ host: String) {
        let now = MonotonicInstant.now
        state.withLock { state in
            if state.lastRetry.duration(to: now) > Self.window { return isWatching.store(false, ordering: .relaxed) }
            state.hosts.record(of: host, at: now) { Record(at: now) }.addRequest(at: now)
        }
    }

    /// Returns whether a request to `host` may be retried: if so, that is counted.
    func spend(on host: String, share: Double, floor: Int, at now: MonotonicInstant = .now) -> Bool {
        state.withLock { state in
            state.lastRetry = now
            isWatching.store(true, ordering: .relaxed)
            return state.hosts.record(of: host, at: now) {
                let record = Record(at: now)
                record.addRequest(at: now)
                return record
            }
            .addRetry(share: share, floor: floor, at: now)
        }
    }
}
