// SPDX-License-Identifier: Apache-2.0
import TernLock

/// Waits until a network path to one of several hosts may have come into being. All waits of the process share one
/// monitor, which runs while there is one.
///
/// A wait ends at once if a path is there and it accepts that. Otherwise only a change counts: a kernel that has a route,
/// and no neighbour at its end, must not be asked without end.
final class NetworkWaits: Sendable {
    static let shared = NetworkWaits()

    enum Outcome {
        /// There is a path, or the kernel does not say.
        case mayBeThere
        /// The system cannot report changes, because descriptors have run out, say.
        case cannotBeWatched
    }

    typealias Completion = @Sendable (Outcome) -> Void

    /// Names a wait.
    struct Number: Hashable, Sendable {
        fileprivate let value: UInt64
    }

    private struct Wait {
        let hosts: [String?]
        /// The monitor started for this wait: its first report says nothing that the wait does not know.
        let ignoresFirstReport: Bool
        let completion: Completion
    }

    private struct State {
        var waits: [UInt64: Wait] = [:]
        var lastNumber: UInt64 = 0
        var monitor: PathMonitor?
        /// Counts monitors.
        var run: UInt64 = 0
        var hasReported = false

        mutating func takeUnusedMonitor() -> PathMonitor? { waits.isEmpty ? monitor.take() : nil }
    }

    private let state = Lock(State())

    /// Calls `completion` once, on any thread, perhaps before this call has returned; not after `end`, except for a call
    /// that is already running.
    ///
    /// - Parameters:
    ///   - hosts: addresses; nil for the internet.
    ///   - acceptsPresent: whether a path that is there already counts.
    func begin(_ hosts: [String?], acceptsPresent: Bool, _ completion: @escaping Completion) -> Number {
        let (number, run, monitor) = state.withLock { state in
            let monitor = state.monitor == nil ? PathMonitor(host: nil) : nil
            if let monitor {
                state.monitor = monitor
                state.run += 1
                state.hasReported = false
            }
            state.lastNumber += 1
            state.waits[state.lastNumber] = Wait(
                hosts: hosts, ignoresFirstReport: monitor != nil, completion: completion)
            return (state.lastNumber, state.run, monitor)
        }
        if let monitor, !monitor.start({ [weak self] in self?.networkChanged(run) }) {
            finish(run: run, .cannotBeWatched)
        } else if acceptsPresent, hosts.contains(where: Self.mayBeReachable) {
            // A change since the attempt, but before the monitor started.
            finish([number], .mayBeThere)
        }
        return Number(value: number)
    }

    /// Ends a wait without calling its completion.
    func end(_ number: Number) {
        let (wait, monitor) = state.withLock { state in
            let wait = state.waits.removeValue(forKey: number.value)
            return (wait, state.takeUnusedMonitor())
        }
        monitor?.stop()
        withExtendedLifetime(wait) {}
    }

    private func networkChanged(_ run: UInt64) {
        let waits = state.withLock { state in
            if state.run != run { return [] as [(number: UInt64, hosts: [String?])] }
            defer { state.hasReported = true }
            let waits = state.hasReported ? state.waits : state.waits.filter { !$0.value.ignoresFirstReport }
            return waits.map { ($0.key, $0.value.hosts) }
        }
        // A thousand tasks may wait for one host.
        var known: [String?: Bool] = [:]
        let mayBeReachable = { (host: String?) -> Bool in
            if let known = known[host] { return known }
            let answer = Self.mayBeReachable(host)
            known[host] = answer
            return answer
        }
        let ended = waits.filter { $0.hosts.contains(where: mayBeReachable) }
        finish(ended.map(\.number).sorted(), .mayBeThere)
    }

    private static func mayBeReachable(_ host: String?) -> Bool { PathMonitor(host: host).path != .none }

    private func finish(_ numbers: [UInt64], _ outcome: Outcome) {
        let (waits, monitor) = state.withLock { state in
            (numbers.compactMap { state.waits.removeValue(forKey: $0) }, state.takeUnusedMonitor())
        }
        monitor?.stop()
        for wait in waits { wait.completion(outcome) }
    }

    /// Ends all waits that rely on the monitor of this number.
    private func finish(run: UInt64, _ outcome: Outcome) {
        finish(state.withLock { $0.run == run ? $0.waits.keys.sorted() : [] }, outcome)
    }
}
