// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC

/// Decides which address is tried next, and when (RFC 8305 §5). The next attempt starts when one has failed or 250 ms
/// have passed; the first connection wins, and the last failure ends the process.
///
/// A Unix domain socket whose backlog is full answers `EAGAIN` and does not signal when there is room again
/// (connect(2)): the attempt is retried after a delay, for as long as the kernel repeats an unanswered SYN.
///
/// The driver reports how an attempt ended, and asks for the next step: after each such event, after each step other
/// than a wait, and when a wait is over.
struct HappyEyeballs: ~Copyable {
    private struct Attempt {
        let number: Int
        let start: MonotonicInstant
        /// When to retry; nil while the kernel connects.
        var retryTime: MonotonicInstant?
        /// The delay before the retry after that.
        var pause = HappyEyeballs.pauses.lowerBound
    }

    enum Step: Equatable {
        /// Start an attempt with this number; or retry the one that has it.
        case connect(number: Int, TransportAddress)
        /// Wait until an attempt ends, or until this moment if it comes first.
        case wait(until: MonotonicInstant?)
        /// No address can be connected to, or not in time; pending attempts are obsolete. Returned once.
        case fail(ConnectError)
        /// The process has ended.
        case rest
    }

    /// RFC 8305 §8, Connection Attempt Delay.
    static let delay = Duration.milliseconds(250)

    /// The delay before a retry doubles between these.
    static let pauses = Duration.milliseconds(4)...Duration.milliseconds(64)
    /// The kernel's own limit for TCP: six repetitions, after 1, 2, 4 … 64 seconds (`tcp_syn_retries`).
    static let patience = Duration.seconds(127)

    private let addresses: [TransportAddress]
    private let deadline: MonotonicInstant?
    /// The number of attempted addresses; attempts are numbered by their position.
    private var started = 0
    private var pendingAttempts: [Attempt] = []
    private var failures: [ConnectError.Attempt] = []
    /// When the next address is tried; nil for immediately.
    private var turn: MonotonicInstant?
    private var isOver = false

    /// `addresses` are in order of preference, of which the first of both families are tried; an empty list fails without
    /// an attempt. An attempt that is pending at the deadline fails.
    init(addresses: [TransportAddress], deadline: MonotonicInstant? = nil) {
        self.addresses = Self.interleaved(addresses)
        self.deadline = deadline
    }

    /// The step to take at this moment.
    mutating func next(now: MonotonicInstant) -> Step {
        if isOver { return .rest }
        if let deadline, deadline <= now { return timedOut() }
        if started < addresses.count, turn.map({ $0 <= now }) ?? true { return startNext(now: now) }
        if let place = pendingAttempts.firstIndex(where: { $0.retryTime.map { $0 <= now } ?? false }) {
            return retry(place)
        }
        if pendingAttempts.isEmpty { return fail() }
        return .wait(until: nextMoment)
    }

    /// Records that an attempt failed at this moment.
    mutating func failed(
        _ number: Int, _ error: SystemCallError, option: SocketOptionError? = nil, now: MonotonicInstant
    ) {
        guard let place = place(of: number) else { return }
        if isBusy(addresses[number], error), scheduleRetry(place, now: now) { return }
        pendingAttempts.remove(at: place)
        failures.append(ConnectError.Attempt(address: addresses[number], error: error, option: option))
        turn = nil
    }

    /// Records that an attempt succeeded. Returns whether it has won: the others are then obsolete.
    mutating func connected(_ number: Int) -> Bool {
        if isOver || place(of: number) == nil { return false }
        isOver = true
        return true
    }

    /// Makes this moment the deadline.
    mutating func timedOut() -> Step {
        if isOver { return .rest }
        for attempt in pendingAttempts {
            let code = attempt.retryTime == nil ? ETIMEDOUT : EAGAIN
            failures.append(
                ConnectError.Attempt(address: addresses[attempt.number], error: SystemCallError(.connect, code: code)))
        }
        return fail()
    }

    /// Cancels: the connection is no longer wanted.
    mutating func cancel() {
        isOver = true
    }

    private mutating func startNext(now: MonotonicInstant) -> Step {
        let number = started
        started += 1
        pendingAttempts.append(Attempt(number: number, start: now))
        turn = now.advanced(by: Self.delay)
        return .connect(number: number, addresses[number])
    }

    private mutating func fail() -> Step {
        isOver = true
        return .fail(ConnectError(attempts: failures))
    }

    private var nextMoment: MonotonicInstant? {
        var moment = deadline
        if started < addresses.count, let turn { moment = moment.map { min($0, turn) } ?? turn }
        for attempt in pendingAttempts {
            if let retryTime = attempt.retryTime { moment = moment.map { min($0, retryTime) } ?? retryTime }
        }
        return moment
    }

    private func place(of number: Int) -> Int? { pendingAttempts.firstIndex { $0.number == number } }

    /// For other families, `EAGAIN` means that no local port is free, which a retry does not help.
    private func isBusy(_ address: TransportAddress, _ error: SystemCallError) -> Bool {
        guard case .unix = address else { return false }
        return error == SystemCallError(.connect, code: EAGAIN)
    }

    /// Whether the attempt may be retried.
    private mutating func scheduleRetry(_ place: Int, now: MonotonicInstant) -> Bool {
        let pause = pendingAttempts[place].pause
        if now >= pendingAttempts[place].start.advanced(by: Self.patience) { return false }
        pendingAttempts[place].pause = min(pause * 2, Self.pauses.upperBound)
        pendingAttempts[place].retryTime = now.advanced(by: pause)
        return true
    }

    /// Once an attempt has started, only its result decides whether another one follows.
    private mutating func retry(_ place: Int) -> Step {
        pendingAttempts[place].retryTime = nil
        let number = pendingAttempts[place].number
        return .connect(number: number, addresses[number])
    }

    /// Alternates families, beginning with the first address's (RFC 8305 §4).
    private static func interleaved(_ addresses: [TransportAddress]) -> [TransportAddress] {
        guard addresses.count > 1, let first = addresses.first else { return addresses }
        var same = addresses.filter { $0.isIPv6 == first.isIPv6 }[...]
        var other = addresses.filter { $0.isIPv6 != first.isIPv6 }[...]
        var result: [TransportAddress] = []
        while !same.isEmpty || !other.isEmpty, result.count < Connector.maximumAddressCount {
            if let address = same.popFirst() { result.append(address) }
            if let address = other.popFirst() { result.append(address) }
        }
        return result
    }
}
