// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Which address is connected to next, and when (RFC 8305 §5). A next attempt starts when one has failed or 250 ms have passed,
/// the first connection wins, and the last failure ends it all.
///
/// Whoever drives it tells what became of an attempt, and asks for the next step: after each such event, after each step but
/// a wait, and when a wait is over.
struct HappyEyeballs: ~Copyable {
    enum Step: Equatable {
        /// Start an attempt, which has this number from now on.
        case connect(number: Int, SocketAddress)
        /// Wait until an attempt ends, or for this moment if it comes before.
        case wait(until: MonotonicInstant?)
        /// No address can be connected to, or not in time; what is under way is of no use any more. Told once.
        case fail(ConnectError)
        /// It is over.
        case rest
    }

    /// RFC 8305 §8, Connection Attempt Delay.
    static let delay = Duration.milliseconds(250)

    private let addresses: [SocketAddress]
    private let deadline: MonotonicInstant?
    /// How many addresses had their attempt; attempts are numbered by their place.
    private var started = 0
    private var underWay: [Int] = []
    private var failures: [ConnectError.Attempt] = []
    /// When the next address has its turn; nil for at once.
    private var turn: MonotonicInstant?
    private var isOver = false

    /// `addresses` in order of preference; none fail with no attempts. What is under way at the deadline has failed.
    init(addresses: [SocketAddress], deadline: MonotonicInstant? = nil) {
        self.addresses = Self.interleaved(addresses)
        self.deadline = deadline
    }

    /// What to do at this moment.
    mutating func next(now: MonotonicInstant) -> Step {
        if isOver { return .rest }
        if let deadline, deadline <= now { return timeOut() }
        if started < addresses.count, turn.map({ $0 <= now }) ?? true { return startNext(now: now) }
        if underWay.isEmpty { return fail() }
        return .wait(until: nextMoment)
    }

    /// An attempt came to nothing.
    mutating func failed(_ number: Int, _ error: SystemError) {
        guard let place = underWay.firstIndex(of: number) else { return }
        underWay.remove(at: place)
        failures.append(ConnectError.Attempt(address: addresses[number], error: error))
        turn = nil
    }

    /// An attempt stands. Whether it has won: the others are of no use any more then.
    mutating func connected(_ number: Int) -> Bool {
        if isOver || !underWay.contains(number) { return false }
        isOver = true
        return true
    }

    /// Nobody waits for a connection any more.
    mutating func cancel() {
        isOver = true
    }

    private mutating func startNext(now: MonotonicInstant) -> Step {
        let number = started
        started += 1
        underWay.append(number)
        turn = now.advanced(by: Self.delay)
        return .connect(number: number, addresses[number])
    }

    private mutating func timeOut() -> Step {
        for number in underWay {
            failures.append(
                ConnectError.Attempt(address: addresses[number], error: SystemError(.connect, code: ETIMEDOUT)))
        }
        return fail()
    }

    private mutating func fail() -> Step {
        isOver = true
        return .fail(ConnectError(attempts: failures))
    }

    private var nextMoment: MonotonicInstant? {
        guard started < addresses.count, let turn else { return deadline }
        return deadline.map { min($0, turn) } ?? turn
    }

    /// Alternates families, beginning with the first address's (RFC 8305 §4).
    private static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard addresses.count > 1, let first = addresses.first else { return addresses }
        var same = addresses.filter { $0.isIPv6 == first.isIPv6 }[...]
        var other = addresses.filter { $0.isIPv6 != first.isIPv6 }[...]
        var result: [SocketAddress] = []
        while !same.isEmpty || !other.isEmpty {
            if let address = same.popFirst() { result.append(address) }
            if let address = other.popFirst() { result.append(address) }
        }
        return result
    }
}
