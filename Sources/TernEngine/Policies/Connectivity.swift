// SPDX-License-Identifier: Apache-2.0
import TernIO

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
            // A path may have come since the attempt; one that did not help is no news.
            let number = NetworkWaits.shared.begin(hosts, acceptsPresent: isFirst) { outcome in
                switch outcome {
                case .mayBeThere: completion(.ready)
                case .cannotBeWatched: completion(.fail(.connecting(failure)))
                }
            }
            return { NetworkWaits.shared.end(number) }
        }
        return .wait(until: lookup, isFirst: isFirst)
    }

    /// Whether a task waits after this failure.
    static func awaits(_ failure: AttemptFailure) -> Bool {
        guard case .connecting(let failure) = failure.reason else { return false }
        return missing(failure) != nil
    }

    /// The hosts to which a path is missing: nil if the failure has another cause, and the world where no host is known.
    private static func missing(_ failure: SessionError.ConnectingFailure) -> [String?]? {
        switch failure {
        case .queueFull, .circuitOpen, .egressRefused, .dialer, .socketOption, .insecure, .proxy, .invalidProxy:
            return nil
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
