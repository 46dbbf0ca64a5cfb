// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// Delivers the response of a source: what one event-loop tick allows at a time, and nothing while it is paused. A subclass
/// has the response. Belongs to its loop's thread, hence `@unchecked Sendable`.
class SourcedExchange: Carrier, ReadinessHandler, @unchecked Sendable {
    enum Progress {
        case delivered
        /// The delegate takes no more at present.
        case full
        /// There is nothing to deliver at present.
        case waiting
    }

    /// The number of bytes that are offered at a time.
    static let windowSize = 128 * 1024

    final let loop: ReactorLoop
    final let connectionMetrics: ConnectionMetrics? = nil
    final let isReused = false
    private(set) final var deadlines: Deadlines
    private final var delegate: (any ExchangeDelegate)?
    private(set) final var isHeadDelivered = false
    private final var count: UInt64 = 0
    private final var isDelivering = false
    private final var isScheduled = false
    private final let start: MonotonicInstant
    private final var lastActivity: MonotonicInstant
    private final var timer: RegistrationToken?

    init(_ delegate: any ExchangeDelegate, _ loop: ReactorLoop, _ deadlines: Deadlines) {
        (self.delegate, self.loop, self.deadlines) = (delegate, loop, deadlines)
        (start, lastActivity) = (loop.now, loop.now)
    }

    final var isPaused = false {
        didSet {
            if oldValue == isPaused { return }
            // The time until now does not count as idle.
            lastActivity = loop.now
            watchTime()
            if !isPaused { deliverSoon() }
        }
    }

    // What a subclass says.

    /// The exchange has begun.
    func began() {}

    /// Delivers the next part.
    func deliverNext(_ allowance: inout TickAllowance) -> Progress { .waiting }

    /// The exchange is over.
    func ended() {}

    var deadline: Deadlines.Deadline? {
        deadlines.exchange(
            lastActivity: lastActivity, isPaused: isPaused, unansweredSince: isHeadDelivered ? nil : start)
    }

    var evidence: Evidence { Evidence(isAnswered: isHeadDelivered, receivedCount: count) }

    func carry(_ delegate: (any ExchangeDelegate)?, _ deadlines: Deadlines?) {
        self.delegate = delegate
        if let deadlines { self.deadlines = deadlines }
        watchTime()
    }

    // What a subclass calls.

    final func deliver(_ head: ResponseHead, _ allowance: inout TickAllowance) -> Progress {
        isHeadDelivered = true
        delegate?.received(.head(head), of: Span(), &allowance)
        allowance.spend(TickAllowance.event)
        return .delivered
    }

    final func deliver(informational head: ResponseHead, _ allowance: inout TickAllowance) -> Progress {
        delegate?.received(.informational(head), of: Span(), &allowance)
        allowance.spend(TickAllowance.event)
        return .delivered
    }

    /// Returns how many of the bytes were taken.
    final func deliver(_ bytes: Span<UInt8>, _ allowance: inout TickAllowance) -> (taken: Int, Progress) {
        let offered = bytes.extracting(first: Self.windowSize)
        let taken = delegate?.received(.body(0..<offered.count), of: offered, &allowance).count(of: offered.count) ?? 0
        count += UInt64(taken)
        allowance.spend(max(taken, TickAllowance.event))
        return (taken, taken == offered.count ? .delivered : .full)
    }

    final func deliverEnd(
        _ allowance: inout TickAllowance, trailers: HeaderFields = [:], discarded: HeaderFields = [:]
    ) -> Progress {
        delegate?.received(.end(trailers: trailers, discarded: discarded), of: Span(), &allowance)
        finish(nil)
        return .waiting
    }

    /// There is something to deliver.
    final func arrived() {
        lastActivity = loop.now
        deliver()
        watchTime()
    }

    /// The first call counts.
    final func finish(_ reason: SessionError.Reason?) {
        guard let delegate = delegate.take() else { return }
        close()
        delegate.exchangeEnded(reason, evidence)
    }

    final func begin() {
        delegate?.exchangeBegan(on: self)
        // It may have been ended.
        if delegate == nil { return }
        began()
        arrived()
    }

    private func deliverSoon() {
        if isScheduled || isPaused || isDelivering || delegate == nil { return }
        isScheduled = loop.execute {
            self.isScheduled = false
            self.deliver()
        }
    }

    private func deliver() {
        if isDelivering { return }
        isDelivering = true
        var allowance = TickAllowance(among: 1)
        var progress = Progress.delivered
        while delegate != nil, !isPaused, !allowance.isSpent, case .delivered = progress {
            progress = deliverNext(&allowance)
        }
        isDelivering = false
        if case .waiting = progress {} else { deliverSoon() }
    }

    private func watchTime() {
        guard delegate != nil else { return }
        guard let deadline else { return stopWatching() }
        let timer = timer ?? loop.registerTimer(handler: self)
        self.timer = timer
        loop.setDeadline(deadline.instant, for: timer)
    }

    private func stopWatching() { if let timer = timer.take() { loop.deregister(timer) } }

    final func ready(_ readiness: Readiness) {
        guard let deadline else { return }
        if deadline.instant > loop.now { return watchTime() }
        finish(.timedOut(deadline.limit))
    }

    private func close() {
        stopWatching()
        ended()
    }

    final func end(_ reason: SessionError.Reason) { finish(reason) }

    final func leave() -> Evidence {
        delegate = nil
        close()
        return evidence
    }

    final func leaveRest() -> Evidence { leave() }
}
