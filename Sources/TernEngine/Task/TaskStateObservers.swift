// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernLock

/// Tells the listeners of the process that a task begins to run, or stops: each change once. For notifications, which
/// know tasks of any session; as a rule there is no listener.
package enum TaskStateObservers {
    /// Is called with a task's identifier, on the thread that resumes or suspends the task, which holds no lock of
    /// Tern's.
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
