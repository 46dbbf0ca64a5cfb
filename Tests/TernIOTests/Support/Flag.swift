// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A fact that becomes true once, on whatever thread.
final class Flag: Sendable {
    private let state = Atomic<Bool>(false)
    var isRaised: Bool { state.load(ordering: .acquiring) }
    func raise() { state.store(true, ordering: .releasing) }
}
