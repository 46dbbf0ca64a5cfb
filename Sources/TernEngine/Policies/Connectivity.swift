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
        guard case .connecting(let reason) = failure.reason, let hosts = failure.unreachableHosts else { return .pass }
        let isFirst = !history[Memory.self].hasWaited
        history[Memory.self].hasWaited = true
        let lookup: HopLookup = { completion in
            // A path may have come since the attempt; one that did not help is no news.
            let number = NetworkWaits.shared.begin(hosts, acceptsPresent: isFirst) { outcome in
                switch outcome {
                case .mayBeThere: completion(.ready)
                case .cannotBeWatched: completion(.fail(.connecting(reason)))
                }
            }
            return { NetworkWaits.shared.end(number) }
        }
        return .wait(until: lookup, isFirst: isFirst)
    }
}
