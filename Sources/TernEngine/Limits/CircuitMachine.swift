// SPDX-License-Identifier: Apache-2.0
import TernIO

/// The circuit breaker of one host. A pure state machine: each call says what time it is.
///
/// Times may come in another order than calls, and a clock may jump. A time before the last one counts as the last one,
/// if both belong to one window; otherwise the counts begin at zero. No wait is longer than it would be if it began
/// now.
struct CircuitMachine: ~Copyable {
    /// The numbers of a breaker, each within its range.
    struct Rules: Sendable, Hashable {
        let window: Duration
        let minimumRequests: Int
        let failureRate: Double
        let openTime: Duration
        let maximumOpenTime: Duration
        let probes: Int

        init(
            window: Duration, minimumRequests: Int, failureRate: Double, openTime: Duration,
            maximumOpenTime: Duration, probes: Int
        ) {
            let day = Duration.seconds(86_400)
            let openTime = max(.milliseconds(1), min(openTime, day))
            self.window = max(.milliseconds(10), min(window, day))
            self.minimumRequests = max(1, min(minimumRequests, 1_000_000))
            self.failureRate = failureRate.isNaN ? 1 : max(0, min(failureRate, 1))
            self.openTime = openTime
            self.maximumOpenTime = max(openTime, min(maximumOpenTime, day))
            self.probes = max(1, min(probes, 100))
        }
    }

    /// What a request is to the breaker that let it pass.
    struct Ticket: Sendable, Hashable {
        /// The number of changes before it.
        fileprivate let era: UInt64
        /// The number of the probe; nil for a request that the closed breaker let pass.
        fileprivate let probe: UInt64?
    }

    /// Whether a request may be sent.
    enum Answer: Sendable, Hashable {
        case pass(Ticket)
        case refuse(until: MonotonicInstant, isHalfOpen: Bool)
    }

    /// What there is to see.
    struct Reading: Sendable, Hashable {
        enum State: Sendable {
            case closed, open, halfOpen
        }

        let state: State
        /// The outcomes within the window.
        let requests: Int
        let failures: Int
    }

    private enum State {
        /// Requests pass. Exit: open.
        case closed
        /// None passes before this time. Exit: halfOpen.
        case open(until: MonotonicInstant)
        /// Probes pass. Exits: closed, open.
        case halfOpen(Probes)
    }

    private let rules: Rules
    private var state = State.closed
    /// The number of times that it opened or closed. An outcome of a request from before such a change says nothing any
    /// more.
    private var era: UInt64 = 0
    private var counts: WindowCounts
    /// How long it is open this time, or the next time.
    private var openTime: Duration
    private var lastChange = MonotonicInstant(nanoseconds: .min)

    init(_ rules: Rules) {
        self.rules = rules
        counts = WindowCounts(window: rules.window)
        openTime = rules.openTime
    }

    /// A request wants to be sent.
    mutating func ask(at now: MonotonicInstant) -> Answer {
        advance(to: now)
        switch state {
        case .closed: return .pass(Ticket(era: era, probe: nil))
        case .open(let until): return .refuse(until: until, isHalfOpen: false)
        case .halfOpen(var probes):
            defer { state = .halfOpen(probes) }
            if let number = probes.begin(atMost: rules.probes, at: now, expiringAfter: openTime) {
                return .pass(Ticket(era: era, probe: number))
            }
            return .refuse(until: probes.nextExpiry(after: openTime) ?? now, isHalfOpen: true)
        }
    }

    /// A request that passed has come to something.
    mutating func ended(_ ticket: Ticket, failed: Bool, at now: MonotonicInstant) {
        guard ticket.era == era else { return }
        counts.add(failed: failed, at: now)
        switch state {
        case .open: break
        case .closed: if isTooMuch { open(at: now) }
        case .halfOpen(var probes):
            if failed {
                openTime = min(openTime * 2, rules.maximumOpenTime)
                return open(at: now)
            }
            if let number = ticket.probe { probes.end(number) }
            probes.successes += 1
            state = .halfOpen(probes)
            if probes.successes >= rules.probes { close(at: now) }
        }
    }

    /// A request that passed has come to nothing.
    mutating func abandoned(_ ticket: Ticket) {
        guard ticket.era == era, let number = ticket.probe, case .halfOpen(var probes) = state else { return }
        probes.end(number)
        state = .halfOpen(probes)
    }

    /// Whether no request will pass at that time.
    func isOpen(at time: MonotonicInstant) -> Bool { if case .open(let until) = state { time < until } else { false } }

    mutating func reading(at now: MonotonicInstant) -> Reading {
        advance(to: now)
        counts.roll(to: now)
        let state: Reading.State =
            switch state {
            case .closed: .closed
            case .open: .open
            case .halfOpen: .halfOpen
            }
        return Reading(state: state, requests: counts.requests, failures: counts.failures)
    }

    /// From when on another machine would do as well, if this one is not asked before. One that is not closed is
    /// remembered for some time after probes could have passed.
    var isNewFrom: MonotonicInstant {
        if case .closed = state { return counts.end }
        return lastChange.advanced(by: openTime).advanced(by: rules.maximumOpenTime)
    }

    private var isTooMuch: Bool {
        counts.requests >= rules.minimumRequests && counts.failures > 0
            && Double(counts.failures) / Double(counts.requests) >= rules.failureRate
    }

    /// The time of an open breaker passes.
    private mutating func advance(to now: MonotonicInstant) {
        guard case .open(let until) = state else { return }
        if until <= now {
            lastChange = now
            state = .halfOpen(Probes())
        } else if now.duration(to: until) > openTime {
            // The clock was set back.
            open(at: now)
        }
    }

    private mutating func open(at now: MonotonicInstant) {
        state = .open(until: now.advanced(by: openTime))
        (era, lastChange) = (era &+ 1, now)
    }

    private mutating func close(at now: MonotonicInstant) {
        state = .closed
        (era, lastChange) = (era &+ 1, now)
        openTime = rules.openTime
        counts = WindowCounts(window: rules.window)
    }
}

/// The requests that a half-open breaker lets pass.
private struct Probes: Sendable {
    private var places: [(number: UInt64, begin: MonotonicInstant)] = []
    private var lastNumber: UInt64 = 0
    var successes = 0

    /// Returns the number of a new probe; nil if there are enough.
    mutating func begin(atMost maximum: Int, at now: MonotonicInstant, expiringAfter time: Duration) -> UInt64? {
        // After a clock was set back a place lasts no longer than one that is taken now.
        for index in places.indices where places[index].begin > now { places[index].begin = now }
        places.removeAll { $0.begin.duration(to: now) >= time }
        guard places.count + successes < maximum else { return nil }
        lastNumber &+= 1
        places.append((lastNumber, now))
        return lastNumber
    }

    mutating func end(_ number: UInt64) { places.removeAll { $0.number == number } }

    /// When the first place is free at the latest.
    func nextExpiry(after time: Duration) -> MonotonicInstant? { places.map(\.begin).min()?.advanced(by: time) }
}

/// The outcomes within a window that slides in ten steps.
private struct WindowCounts: Sendable {
    private static let slotCount: Int64 = 10

    private let step: Int64
    private var slots: [(requests: Int, failures: Int)] = []
    /// The number of the latest slot: steps since the beginning of the clock.
    private var latest: Int64 = 0
    private(set) var requests = 0
    private(set) var failures = 0

    init(window: Duration) { step = max(1, Int64(window / .nanoseconds(1)) / Self.slotCount) }

    mutating func add(failed: Bool, at now: MonotonicInstant) {
        roll(to: now)
        if slots.isEmpty { slots = Array(repeating: (0, 0), count: Int(Self.slotCount)) }
        let index = Int(latest % Self.slotCount)
        slots[index].requests += 1
        requests += 1
        if failed {
            slots[index].failures += 1
            failures += 1
        }
    }

    /// Forgets what is not within the window that ends now.
    mutating func roll(to now: MonotonicInstant) {
        let number = max(0, now.nanoseconds) / step
        defer { if number > latest || slots.isEmpty { latest = number } }
        guard !slots.isEmpty, number != latest else { return }
        guard abs(number - latest) < Self.slotCount else {
            slots = []
            (requests, failures) = (0, 0)
            return
        }
        if number < latest { return }
        for passed in (latest + 1)...number {
            let index = Int(passed % Self.slotCount)
            requests -= slots[index].requests
            failures -= slots[index].failures
            slots[index] = (0, 0)
        }
    }

    /// When nothing that was counted counts any more.
    var end: MonotonicInstant {
        let (time, isBeyond) = (latest + Self.slotCount).multipliedReportingOverflow(by: step)
        return requests == 0
            ? MonotonicInstant(nanoseconds: .min) : MonotonicInstant(nanoseconds: isBeyond ? .max : time)
    }
}
