// SPDX-License-Identifier: Apache-2.0
import TernIO
import TernLock

/// The requests of a cache that are under way: of many equal ones one is sent (RFC 9111 §4: collapsed requests), and what
/// was removed from the cache meanwhile does not come back with their responses. Any thread may use it.
///
/// A request waits until the response to the first one is stored, or is known not to be stored. If the first one is
/// cancelled or fails, or its reader pauses, the next one takes its place, and the others wait for that. A server may be
/// silent on purpose: each ``maximumWait`` twice as many requests as before are let go. Requests whose responses could not
/// be stored are remembered, and nothing waits for them the next time.
final class CacheFlights: Sendable {
    /// The maximum number of requests that are remembered because their responses could not be stored.
    private static let maximumUnsharedCount = 1024
    /// The maximum number of URLs whose removal is remembered.
    private static let maximumRemovalCount = 1024

    /// What requests wait for each other for.
    enum Kind: Sendable {
        /// A response.
        case response
        /// The validation of a stored response that has been the answer already.
        case validation
    }

    struct Key: Sendable, Hashable {
        let url: String
        let scope: CacheScope
        var kind = Kind.response
    }

    private struct State {
        /// By URL, because a write ends all of its flights.
        var flights: [String: [Key: Flight]] = [:]
        var unshared: Set<Key> = []
        /// The number of validations that are under way, also of URLs that were removed meanwhile.
        var validationCount = 0
        /// What is called when that is 0.
        var afterValidations: [@Sendable () -> Void] = []
        /// Numbers flights, waiters and removals in their order.
        var count: UInt64 = 0
        /// When URLs were removed last.
        var removals: [String: UInt64] = [:]
        /// When everything was removed last, or the removals before were forgotten.
        var lastRemoval: UInt64 = 0

        mutating func next() -> UInt64 {
            count &+= 1
            return count
        }

        mutating func remove(_ key: Key) {
            flights[key.url]?[key] = nil
            if flights[key.url]?.isEmpty == true { flights[key.url] = nil }
        }
    }

    /// An entry of the table: the request itself is held by its task alone, so that it ends with the task.
    private struct Flight {
        let number: UInt64
        var waiters: [Waiter] = []
        /// How many waiters are let go the next time that the server has been silent for too long.
        var release = 1
    }

    private struct Waiter {
        let number: UInt64
        let wake: @Sendable (Wake) -> Void
    }

    /// What a request that has waited does next.
    enum Wake {
        /// The response is stored, and may answer it.
        case lookUp
        /// It takes the place of the first one.
        case lead(CacheFlight)
        /// It waits for another one, or becomes the first: the response is one from before a write.
        case join
        /// It is sent on its own.
        case alone
    }

    enum Part {
        /// The request is sent. Others wait until the flight ends.
        case first(CacheFlight)
        /// The one with this number is under way.
        case waits(UInt64)
        /// Each is sent on its own.
        case alone
    }

    /// How the request that others wait for ended.
    enum Outcome {
        /// Its response is stored, and answers requests of its kind.
        case stored
        /// Its response, and those to requests of its kind, are not stored.
        case unstorable
        /// Its response answers no other request, but a later one may.
        case unusable
        /// It has no response, or none that is read.
        case abandoned
    }

    private static let queue = SerialQueue()

    private let state = Lock(State())
    private let maximumWait: Duration

    init(maximumWait: Duration = .seconds(5)) { self.maximumWait = maximumWait }

    /// Registers a request, if no equal one is under way.
    func join(_ key: Key) -> Part {
        state.withLock { state in
            if state.unshared.contains(key) { return .alone }
            if let flight = state.flights[key.url]?[key] { return .waits(flight.number) }
            let number = state.next()
            state.flights[key.url, default: [:]][key] = Flight(number: number)
            if key.kind == .validation { state.validationCount += 1 }
            return .first(CacheFlight(key, number, in: self))
        }
    }

    /// Calls `wake` when the request with this number ends, or has ended: on a queue, so that it runs in the midst of no
    /// other task. Returns the cancellation, after which it may be called nevertheless.
    func wait(for number: UInt64, _ key: Key, _ wake: @escaping @Sendable (Wake) -> Void) -> @Sendable () -> Void {
        let (waiter, isFirst) = state.withLock { state -> (UInt64?, Bool) in
            guard let flight = state.flights[key.url]?[key], flight.number == number else { return (nil, false) }
            let waiter = state.next()
            state.flights[key.url]?[key]?.waiters.append(Waiter(number: waiter, wake: wake))
            return (waiter, flight.waiters.isEmpty)
        }
        guard let waiter else {
            Self.queue.async { wake(.join) }
            return {}
        }
        if isFirst { watch(key, number) }
        return { [weak self] in self?.leave(waiter, key) }
    }

    /// The number of requests under way that others would wait for.
    var count: Int { state.withLock { $0.flights.values.reduce(0) { $0 + $1.count } } }

    /// The number of requests that wait for the response of another.
    var waiterCount: Int {
        state.withLock { $0.flights.values.lazy.flatMap(\.values).reduce(0) { $0 + $1.waiters.count } }
    }

    /// Whether a request of this kind is under way.
    func contains(_ key: Key) -> Bool { state.withLock { $0.flights[key.url]?[key] != nil } }

    private func leave(_ waiter: UInt64, _ key: Key) {
        let left = state.withLock { state -> Waiter? in
            guard let place = state.flights[key.url]?[key]?.waiters.firstIndex(where: { $0.number == waiter }) else {
                return nil
            }
            return state.flights[key.url]?[key]?.waiters.remove(at: place)
        }
        withExtendedLifetime(left) {}
    }

    private func watch(_ key: Key, _ number: UInt64) {
        Self.queue.async(after: maximumWait) { [weak self] in self?.isSilent(key, number) }
    }

    private func isSilent(_ key: Key, _ number: UInt64) {
        succeed(key, number) { flight in
            let count = min(flight.waiters.count, flight.release)
            let released = Array(flight.waiters.prefix(count))
            flight.waiters.removeFirst(count)
            flight.release *= 2
            return released
        }
    }

    /// The first of the waiters that `release` returns takes the place of the request with this number, and the others are
    /// sent on their own.
    private func succeed(_ key: Key, _ number: UInt64, _ release: (inout Flight) -> [Waiter]) {
        let (released, successor, isAwaited) = state.withLock { state -> ([Waiter], UInt64, Bool) in
            guard var flight = state.flights[key.url]?[key], flight.number == number else { return ([], 0, false) }
            let released = release(&flight)
            state.remove(key)
            if released.isEmpty { return ([], 0, false) }
            let successor = state.next()
            state.flights[key.url, default: [:]][key] = Flight(
                number: successor, waiters: flight.waiters, release: flight.release)
            return (released, successor, !flight.waiters.isEmpty)
        }
        guard let first = released.first else { return }
        let flight = CacheFlight(key, successor, in: self)
        if isAwaited { watch(key, successor) }
        Self.queue.async {
            first.wake(.lead(flight))
            for waiter in released.dropFirst() { waiter.wake(.alone) }
        }
    }

    /// Calls `completion` when no validation is under way: on this thread, or on that of the last one.
    func whenValidated(_ completion: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if state.validationCount > 0 { state.afterValidations.append(completion) }
            return state.validationCount == 0
        }
        if isOver { completion() }
    }

    /// What it has changed in the cache is on its way there.
    fileprivate func endValidation() {
        let completions = state.withLock { state in
            state.validationCount -= 1
            if state.validationCount > 0 { return [@Sendable () -> Void]() }
            defer { state.afterValidations = [] }
            return state.afterValidations
        }
        for completion in completions { completion() }
    }

    fileprivate func end(_ key: Key, _ number: UInt64, _ outcome: Outcome) {
        let wake: Wake
        switch outcome {
        case .stored: wake = .lookUp
        case .unstorable, .unusable: wake = .alone
        case .abandoned:
            return succeed(key, number) { flight in
                flight.waiters.isEmpty ? [] : [flight.waiters.removeFirst()]
            }
        }
        let waiters = state.withLock { state -> [Waiter] in
            if case .stored = outcome { state.unshared.remove(key) }
            if case .unstorable = outcome {
                if state.unshared.count >= Self.maximumUnsharedCount { state.unshared = [] }
                state.unshared.insert(key)
            }
            guard let flight = state.flights[key.url]?[key], flight.number == number else { return [] }
            state.remove(key)
            return flight.waiters
        }
        Self.wake(waiters, wake)
    }

    private static func wake(_ waiters: [Waiter], _ wake: Wake) {
        if waiters.isEmpty { return }
        queue.async { for waiter in waiters { waiter.wake(wake) } }
    }
}

// Removals
extension CacheFlights {
    /// The moment for a request that is sent now: see `isCurrent`.
    var now: UInt64 { state.withLock { $0.count } }

    /// What is stored for a URL is removed, nil for all. Nothing waits any more for requests that are under way, and their
    /// responses are not stored: they may be from before the write that has removed it (RFC 9111 §4.4).
    func removed(_ url: String?) {
        let waiters = state.withLock { state -> [Waiter] in
            let now = state.next()
            let ended: [Flight]
            if let url {
                if state.removals.count >= Self.maximumRemovalCount { (state.removals, state.lastRemoval) = ([:], now) }
                state.removals[url] = now
                ended = state.flights.removeValue(forKey: url).map { Array($0.values) } ?? []
            } else {
                (state.removals, state.lastRemoval) = ([:], now)
                ended = state.flights.values.flatMap(\.values)
                state.flights = [:]
            }
            return ended.flatMap(\.waiters)
        }
        Self.wake(waiters, .join)
    }

    /// Whether nothing has removed what is stored for the URL since that moment.
    func isCurrent(_ url: String, since moment: UInt64) -> Bool {
        state.withLock { max($0.lastRemoval, $0.removals[url] ?? 0) <= moment }
    }
}

/// A request that others wait for, until it ends or is released.
final class CacheFlight: Sendable {
    private let key: CacheFlights.Key
    private let number: UInt64
    private let flights: CacheFlights

    fileprivate init(_ key: CacheFlights.Key, _ number: UInt64, in flights: CacheFlights) {
        (self.key, self.number, self.flights) = (key, number, flights)
    }

    deinit {
        end(.abandoned)
        if key.kind == .validation { flights.endValidation() }
    }

    /// Lets the others go on. Only the first call has an effect.
    func end(_ outcome: CacheFlights.Outcome) { flights.end(key, number, outcome) }
}
