// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernLock

/// Calls the observers of the process when a task starts to run, or stops: once for each change. For notifications
/// about tasks of any session; usually there is no observer.
package enum TaskStateObservers {
    /// Called with a task's identifier, on the thread that resumes or suspends the task, which holds no lock of Tern.
    package typealias Listener = @Sendable (_ task: Int, _ runs: Bool) -> Void

    private static let isHeard = Atomic<Bool>(false)
    private static let listeners = Lock<[Listener]>([])

    /// Adds `listener` for the life of the process.
    package static func tell(_ listener: @escaping Listener) {
        listeners.withLock { $0.append(listener) }
        isHeard.store(true, ordering: .relaxed)
    }

    static func changed(_ task: Int, runs: Bool, unless isCancelled: @autoclosure () -> Bool) {
        if !isHeard.load(ordering: .relaxed) || isCancelled() { return }
        for listener in listeners.withLock({ $0 }) { listener(task, runs) }
    }
}
