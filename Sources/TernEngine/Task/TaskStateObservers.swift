// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernLock

/// Tells whoever listens in the process that a task begins to run, or runs no more for now: each change once, and as a
/// rule nobody. For notifications, which know tasks of any session.
package enum TaskStateObservers {
    /// Is told of a task, by its identifier, on the thread that steers it, which holds no lock of ours.
    package typealias Listener = @Sendable (_ task: Int, _ runs: Bool) -> Void

    private static let isHeard = Atomic<Bool>(false)
    private static let listeners = Lock<[Listener]>([])

    /// Tells `listener`, too, for as long as the process lives.
    package static func tell(_ listener: @escaping Listener) {
        listeners.withLock { $0.append(listener) }
        isHeard.store(true, ordering: .relaxed)
    }

    static func changed(_ task: Int, runs: Bool, unless isCancelled: @autoclosure () -> Bool) {
        if !isHeard.load(ordering: .relaxed) || isCancelled() { return }
        for listener in listeners.withLock({ $0 }) { listener(task, runs) }
    }
}
