// SPDX-License-Identifier: Apache-2.0
@testable import TernEngine
import TernIO

extension Session {
    /// The loop of the session's first reactor.
    var firstLoop: ReactorLoop? { (executors.first as? Reactor)?.loop }

    /// Returns after everything that was sent to the session's first reactor before has run.
    func settle() async {
        await onReactor {}
    }

    /// Runs `body` on the thread of the session's first reactor, which does nothing else meanwhile.
    func onReactor<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
        guard let executor = executors.first else { return body() }
        return await Task(executorPreference: executor) { body() }.value
    }
}

/// Looks at the task on its reactor's thread, after everything that was sent there before.
func onReactor(_ task: SessionTask, _ look: @escaping @Sendable () -> Bool) async -> Bool {
    await withCheckedContinuation { continuation in
        task.performLater { continuation.resume(returning: look()) }
    }
}
