// SPDX-License-Identifier: Apache-2.0
import TernIO
import TernLock

/// Has a task wait while no network leads to its server: the kernel has no route to any of its addresses, or its name
/// could not be resolved and there is no route to the internet.
struct Connectivity: HopPolicy {
    private struct Memory: PolicyMemory {
        var hasWaited = false
    }

    let interests = HopInterests.failures

    func decide(on failure: AttemptFailure, _ history: inout TaskHistory) -> HopRecovery {
        guard case .connecting(let failure) = failure.reason, let hosts = Self.missing(failure) else { return .pass }
        let isFirst = !history[Memory.self].hasWaited
        history[Memory.self].hasWaited = true
        let lookup: HopLookup = { completion in
            let wait = NetworkWait(hosts, isFirst: isFirst, failure, completion)
            wait.begin()
            return { wait.end() }
        }
        return .wait(until: lookup, isFirst: isFirst)
    }

    /// The hosts to which a path is missing: nil if the failure has another cause, and the world where no host is known.
    private static func missing(_ failure: SessionError.ConnectingFailure) -> [String?]? {
        switch failure {
        case .queueFull, .egressRefused, .dialer, .socketOption, .insecure, .proxy: return nil
        case .unresolved(let error):
            guard error.reason == .temporaryFailure else { return nil }
            return PathMonitor(host: nil).path == .none ? [nil] : nil
        case .unreachable(let error):
            guard !error.attempts.isEmpty, error.attempts.allSatisfy(\.error.isAboutMissingPath) else { return nil }
            let hosts = error.attempts.compactMap(\.address.host)
            return hosts.contains(where: PathMonitor.isLoopback) || hosts.isEmpty ? nil : hosts
        }
    }
}

/// Waits until a path to one of several hosts may have come into being.
///
/// A path that is there when the first wait of a task begins counts, because it may have come since the attempt. After
/// that only a change counts: a kernel that has a route, and no neighbour at its end, must not be asked without end.
private final class NetworkWait: Sendable {
    private struct State {
        var completion: (@Sendable (HopPreparation) -> Void)?
        var acceptsPresent: Bool
        var isFirstReport = true
    }

    private let monitors: [PathMonitor]
    private let failure: SessionError.ConnectingFailure
    private let state: Lock<State>

    /// - Parameter hosts: addresses; nil for the internet.
    init(
        _ hosts: [String?], isFirst: Bool, _ failure: SessionError.ConnectingFailure,
        _ completion: @escaping @Sendable (HopPreparation) -> Void
    ) {
        monitors = hosts.map { PathMonitor(host: $0) }
        self.failure = failure
        state = Lock(State(completion: completion, acceptsPresent: isFirst))
    }

    func begin() {
        // One reports the changes of the whole machine.
        let isWatched = monitors.first?.start { [weak self] in self?.networkChanged() } ?? false
        if !isWatched { finish(.fail(.connecting(failure))) }
    }

    func end() {
        state.withLock { $0.completion = nil }
        monitors.first?.stop()
    }

    private func networkChanged() {
        let counts = state.withLock { state in
            defer { state.isFirstReport = false }
            return state.completion != nil && (!state.isFirstReport || state.acceptsPresent)
        }
        if counts, monitors.contains(where: { $0.path != .none }) { finish(.ready) }
    }

    private func finish(_ preparation: HopPreparation) {
        let completion = state.withLock { $0.completion.take() }
        monitors.first?.stop()
        completion?(preparation)
    }
}
