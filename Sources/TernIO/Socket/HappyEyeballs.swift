// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc

/// Decides which address is connected to next, and when (RFC 8305 §5). A next attempt starts when one has failed or 250
/// ms have passed, the first connection wins, and the last failure ends it all.
///
/// A Unix domain socket whose backlog is full answers `EAGAIN` and does not tell when there is room again (connect(2)):
/// the attempt tries again after a while, for as long as the kernel itself repeats a SYN that is not answered.
///
/// The driver tells how an attempt ended, and asks for the next step: after each such event, after each step but a
/// wait, and when a wait is over.
struct HappyEyeballs: ~Copyable {
    private struct Attempt {
        let number: Int
        let start: MonotonicInstant
        /// When to try again; nil while the kernel is at it.
        var retryTime: MonotonicInstant?
        /// How long to wait before that next time.
        var pause = HappyEyeballs.pauses.lowerBound
    }

    enum Step: Equatable {
        /// Start an attempt, which has this number from now on; or the one that has it already once more.
        case connect(number: Int, TransportAddress)
        /// Wait until an attempt ends, or for this moment if it comes before.
        case wait(until: MonotonicInstant?)
        /// No address can be connected to, or not in time; what is under way is of no use any more. Told once.
        case fail(ConnectError)
        /// It is over.
        case rest
    }

    /// RFC 8305 §8, Connection Attempt Delay.
    static let delay = Duration.milliseconds(250)

    /// The wait before it is knocked again doubles between these.
    static let pauses = Duration.milliseconds(4)...Duration.milliseconds(64)
    /// The kernel's own for TCP: six repetitions, after 1, 2, 4 … 64 seconds (`tcp_syn_retries`).
    static let patience = Duration.seconds(127)

    private let addresses: [TransportAddress]
    private let deadline: MonotonicInstant?
    /// How many addresses had their attempt; attempts are numbered by their place.
    private var started = 0
    private var pendingAttempts: [Attempt] = []
    private var failures: [ConnectError.Attempt] = []
    /// When the next address has its turn; nil for at once.
    private var turn: MonotonicInstant?
    private var isOver = false

    /// `addresses` in order of preference; an empty list fails without an attempt. An attempt that is pending at the
    /// deadline has failed.
    init(addresses: [TransportAddress], deadline: MonotonicInstant? = nil) {
        self.addresses = Self.interleaved(addresses)
        self.deadline = deadline
    }

    /// What to do at this moment.
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

    /// An attempt came to nothing, at this moment.
    mutating func failed(_ number: Int, _ error: SystemCallError, now: MonotonicInstant) {
        guard let place = place(of: number) else { return }
        if isBusy(addresses[number], error), scheduleRetry(place, now: now) { return }
        pendingAttempts.remove(at: place)
        failures.append(ConnectError.Attempt(address: addresses[number], error: error))
        turn = nil
    }

    /// An attempt stands. Whether it has won: the others are of no use any more then.
    mutating func connected(_ number: Int) -> Bool {
        if isOver || place(of: number) == nil { return false }
        isOver = true
        return true
    }

    /// It is the deadline, whatever was said before.
    mutating func timedOut() -> Step {
        if isOver { return .rest }
        for attempt in pendingAttempts {
            let code = attempt.retryTime == nil ? ETIMEDOUT : EAGAIN
            failures.append(
                ConnectError.Attempt(address: addresses[attempt.number], error: SystemCallError(.connect, code: code)))
        }
        return fail()
    }

    /// The connection is not wanted any more.
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

    /// To other families `EAGAIN` is a lack of our own ports, of which time is no cure.
    private func isBusy(_ address: TransportAddress, _ error: SystemCallError) -> Bool {
        guard case .unix = address else { return false }
        return error == SystemCallError(.connect, code: EAGAIN)
    }

    /// Whether the attempt may go on.
    private mutating func scheduleRetry(_ place: Int, now: MonotonicInstant) -> Bool {
        let pause = pendingAttempts[place].pause
        if now >= pendingAttempts[place].start.advanced(by: Self.patience) { return false }
        pendingAttempts[place].pause = min(pause * 2, Self.pauses.upperBound)
        pendingAttempts[place].retryTime = now.advanced(by: pause)
        return true
    }

    /// Once it is asked for, only its outcome tells whether there will be a further one.
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
        while !same.isEmpty || !other.isEmpty {
            if let address = same.popFirst() { result.append(address) }
            if let address = other.popFirst() { result.append(address) }
        }
        return result
    }
}
