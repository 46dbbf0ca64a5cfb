// SPDX-License-Identifier: Apache-2.0
import Dispatch
import TernLock

/// The requests of a cache that are under way, so that of many equal ones one is sent (RFC 9111 §4: collapsed requests).
/// Any thread may use it.
///
/// A request waits until the response to the first one is stored, or is known not to be stored, or its reader pauses, and
/// not longer than ``maximumWait``: a server may be silent on purpose. It is looked up again then, and sent on its own if
/// nothing answers it. Requests whose responses could not be stored are
/// remembered, and nothing waits for them the next time.
final class CacheFlights: Sendable {
    /// The maximum number of requests that are remembered because their responses could not be stored.
    private static let maximumUnsharedCount = 1024

    struct Key: Sendable, Hashable {
        let url: String
        let scope: CacheScope
    }

    private struct State {
        var flights: [Key: Flight] = [:]
        var unshared: Set<Key> = []
        /// The number of requests so far.
        var count: UInt64 = 0
    }

    /// An entry of the table: the request itself is held by its task alone, so that it ends with the task.
    private struct Flight {
        let number: UInt64
        var waiting: [@Sendable () -> Void] = []
    }

    enum Part {
        /// The request is sent. Others wait until the flight ends.
        case first(CacheFlight)
        /// The one with this number is under way.
        case waits(UInt64)
        /// Each is sent on its own.
        case alone
    }

    private static let queue = DispatchQueue(label: "tern.cache.flights")

    private let state = Lock(State())
    private let maximumWait: DispatchTimeInterval

    init(maximumWait: DispatchTimeInterval = .seconds(5)) { self.maximumWait = maximumWait }

    /// Registers a request, if no equal one is under way.
    func join(_ key: Key) -> Part {
        state.withLock { state in
            if state.unshared.contains(key) { return .alone }
            if let flight = state.flights[key] { return .waits(flight.number) }
            state.count &+= 1
            state.flights[key] = Flight(number: state.count)
            return .first(CacheFlight(key, state.count, in: self))
        }
    }

    /// Calls `completion` when the request with this number ends, or has ended: on a queue, so that it runs in the midst
    /// of no other task.
    func wait(for number: UInt64, _ key: Key, _ completion: @escaping @Sendable () -> Void) {
        let (isOver, isFirst) = state.withLock { state in
            guard let flight = state.flights[key], flight.number == number else { return (true, false) }
            state.flights[key]?.waiting.append(completion)
            return (false, flight.waiting.isEmpty)
        }
        if isOver { return Self.queue.async(execute: completion) }
        guard isFirst else { return }
        Self.queue.asyncAfter(deadline: .now() + maximumWait) { [weak self] in
            self?.end(key, number, isShared: nil)
        }
    }

    /// Whether a request of this kind is under way.
    func contains(_ key: Key) -> Bool { state.withLock { $0.flights[key] != nil } }

    fileprivate func end(_ key: Key, _ number: UInt64, isShared: Bool?) {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            switch isShared {
            case true?: state.unshared.remove(key)
            case false?:
                if state.unshared.count >= Self.maximumUnsharedCount { state.unshared = [] }
                state.unshared.insert(key)
            case nil: break
            }
            guard let flight = state.flights[key], flight.number == number else { return [] }
            state.flights[key] = nil
            return flight.waiting
        }
        if waiting.isEmpty { return }
        Self.queue.async { for completion in waiting { completion() } }
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

    deinit { end() }

    /// Lets the others go on.
    ///
    /// - Parameter isShared: whether a later request may wait for one of this kind; nil if that is not known.
    func end(isShared: Bool? = nil) { flights.end(key, number, isShared: isShared) }
}
