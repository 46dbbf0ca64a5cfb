// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import TernLock

/// A `Progress` and who is to be told when it changes. A queue that is busy finds one report waiting for it, with the latest numbers.
///
/// `Progress` is changed where the reports run and nowhere else, so that whoever is told may read it.
final class ProgressReport: Sendable {
    typealias Handler = @Sendable (Progress) -> Void

    private struct State {
        var completed: Int64 = 0
        var total: Int64 = 0
        var isWaiting = false
        var isOver = false
        var queue: DispatchQueue?
        var handler: Handler?
    }

    let progress = Progress(totalUnitCount: 0)
    private let callbacks: CallbackQueue
    private let state = Lock(State())

    init(callbacks: CallbackQueue, _ counts: (Int64, of: Int64)) {
        self.callbacks = callbacks
        progress.totalUnitCount = counts.of
        progress.completedUnitCount = counts.0
    }

    /// Tells `handler` from now on, in place of whom it told before.
    func tell(on queue: DispatchQueue?, _ handler: @escaping Handler) {
        let replaced = state.withLock { state in
            let replaced = (state.queue, state.handler)
            (state.queue, state.handler) = (queue, handler)
            return replaced
        }
        withExtendedLifetime(replaced) {}
    }

    /// So much is done.
    func update(_ completed: Int64, of total: Int64) {
        let (posts, queue) = state.withLock { state in
            (state.completed, state.total) = (completed, total)
            defer { state.isWaiting = true }
            return (!state.isWaiting, state.queue)
        }
        guard posts else { return }
        if let queue { queue.async { self.performCallbacks() } } else { callbacks.post(self) }
    }

    /// The request has ended: the report that waits is the last.
    func letGo() {
        let handler = state.withLock { state in
            state.isOver = true
            return state.isWaiting ? nil : state.handler.take()
        }
        withExtendedLifetime(handler) {}
    }
}

extension ProgressReport: CallbackQueue.Source {
    func performCallbacks() {
        let (completed, total, handler) = state.withLock { state in
            state.isWaiting = false
            return (state.completed, state.total, state.isOver ? state.handler.take() : state.handler)
        }
        progress.totalUnitCount = total
        progress.completedUnitCount = completed
        handler?(progress)
    }
}
