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

        func allows(_ budget: RetryPolicy.Budget, at now: MonotonicInstant) -> Bool {
            roll(to: now)
            let allowed = max(Double(budget.floor), budget.share * Double(counts.requests &+ earlier.requests))
            return Double(counts.retries &+ earlier.retries &+ 1) <= allowed
        }

        func addRetry(at now: MonotonicInstant) {
            roll(to: now)
            counts.retries &+= 1
        }
    }

    private let state = Lock(State())
    private let clock: TestClock?
    private let isWatching = Atomic<Bool>(false)

    /// - Parameter clock: has the time; nil for the kernel's.
    init(clock: TestClock? = nil) { self.clock = clock }

    /// A request to `server` is about to be sent, which is no retry.
    @inline(__always)
    func began(_ server: @autoclosure () -> String?) {
        if isWatching.load(ordering: .relaxed), let server = server() { count(server) }
    }

    private func count(_ server: String) {
        let now = MonotonicInstant.now(by: clock)
        state.withLock { state in
            if state.lastRetry.duration(to: now) > Self.window { return isWatching.store(false, ordering: .relaxed) }
            state.hosts.record(of: server, at: now) { Record(at: now) }.addRequest(at: now)
        }
    }

    /// Whether a request to `server` may be retried now.
    func allows(_ server: String, _ budget: RetryPolicy.Budget?, at now: MonotonicInstant) -> Bool {
        guard let budget else { return true }
        return withRecord(of: server, at: now) { $0.allows(budget, at: now) }
    }

    /// The same, and if so, the retry is counted: it is about to be sent.
    func spend(on server: String, _ budget: RetryPolicy.Budget?, at now: MonotonicInstant) -> Bool {
        guard let budget else { return true }
        return withRecord(of: server, at: now) { record in
            guard record.allows(budget, at: now) else { return false }
            record.addRetry(at: now)
            return true
        }
    }

    /// Counts a request that is sent again whatever the budget is: after a kept-alive connection was lost.
    func addRepeat(to server: String, at now: MonotonicInstant) {
        withRecord(of: server, at: now) { $0.addRetry(at: now) }
    }

    private func withRecord<Result>(
        of server: String, at now: MonotonicInstant, _ body: (Record) -> Result
    ) -> Result where Result: Sendable {
        state.withLock { state in
            state.lastRetry = now
            isWatching.store(true, ordering: .relaxed)
            return body(
                state.hosts.record(of: server, at: now) {
                    let record = Record(at: now)
                    record.addRequest(at: now)
                    return record
                })
        }
    }
}
