// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernEngine
import TernLock

// The order in which a request ends: bytes, validations, the retrier, the delegate's closures, the notice, the gate.
extension TaskDelegate: CallbackQueue.Source {
    func performCallbacks() {
        if isRelayed.load(ordering: .relaxed) { deliverEvents() }
        feed()
        conclude()
        receiveVisitors()
    }

    /// This task is the first.
    func begin(_ task: SessionTask) { state.withLock { $0.begin(task) } }

    /// The task was never started, and nothing can start it any more.
    func dropTask() {
        guard let task = state.withLock({ $0.dropTask() }) else { return }
        context.hub.remove(task)
    }

    /// The task has ended, and its last byte has found its place.
    func end(with error: (any Error)?) {
        let isPlain = !mayBeRetried && !Notices.isWatched
        switch state.withLock({ $0.end(with: error, isPlain: isPlain) }) {
        case .open(let visitor, let task):
            if let task { context.hub.remove(task) }
            summon(visitor)
        case .conclude: context.callbacks.post(self)
        case .nothing: break
        }
    }

    /// Whether a retrier or a closure may come between the end of a task and that of the request.
    var mayBeRetried: Bool { isRelayed.load(ordering: .relaxed) || context.hub.isConcerned }

    /// There is no task, because no request could be made: handlers learn of it now.
    func endWithoutTask() {
        let (isOver, visitor) = state.withLock { state in
            let visitor = state.endWithoutTask()
            return (state.stage == .over, visitor)
        }
        if isOver { letGo() }
        summon(visitor)
    }

    /// On the callback queue.
    private func conclude() {
        switch state.withLock({ $0.stage }) {
        case .ending:
            if context.hub.hasRetrier, state.withLock({ $0.postpones() }) {
                return Self.later(context.grace.withLock { $0 }) { [self] in context.callbacks.post(self) }
            }
            if awaitsValidation() { return }
            guard judge().error != nil, context.hub.hasRetrier, asks() else { return finish() }
            ask()
        case .settled: finish()
        case .running, .asking, .retrying, .over: break
        }
    }

    private func finish() {
        let (task, error) = state.withLock { ($0.task, $0.error) }
        if let task {
            let closure = state.withLock { $0.aside?.overrides.completion }
            context.hub.tellCompletion(of: task, error)
            closure?(context.session, task, error)
            if Notices.isWatched {
                var completion = state.withLock { $0.completion }
                fill(&completion)
                Notices.didComplete(context.hub, task, completion.data)
            }
            context.hub.remove(task)
        }
        context.hub.forget(self)
        letGo()
        let (visitor, spent) = state.withLock { $0.open() }
        if case .awaiter(let awaiter)? = visitor { awaiter.resume() }
        withExtendedLifetime(spent) {}
    }

    /// Cancels the task, or whatever is to bring another one, which then ends with `error`. Returns the task, if there
    /// is one.
    func cancel(as error: EngineError? = EngineError(.cancelled, phase: .request)) -> SessionTask? {
        let (task, finishes) = state.withLock { $0.cancel(as: error) }
        if finishes {
            context.callbacks.post(self)
        } else if let task {
            // Without an error of its own nothing resumes it.
            if error == nil { task.abandon() } else { stop(task) }
            // It may have become a download in this moment, which then is what goes on.
            if !(task is SessionDownloadTask), let download = self.task as? SessionDownloadTask { download.cancel() }
        }
        return task
    }
}

// Retrying
extension TaskDelegate {
    /// The retrier is to be asked now; false if there is nothing to ask about.
    func asks() -> Bool { state.withLock { $0.ask() } }

    /// The same on the callback queue, for callers on other threads.
    func askSoon() { context.callbacks.post(Errand { [self] in ask() }) }

    private func ask() {
        let (error, number) = state.withLock { ($0.error, $0.retryCount) }
        guard let error else { return answered(number, false, after: 0) }
        context.hub.ask(about: self, error) { [self] retries, delay in answered(number, retries, after: delay) }
    }

    private func answered(_ number: UInt, _ retries: Bool, after delay: TimeInterval) {
        switch state.withLock({ $0.answered(number, retries) }) {
        case .retry: Self.later(delay) { [self] in context.hub.retry(self) }
        case .finish: context.callbacks.post(self)
        case .nothing: break
        }
    }

    /// No retry after all: `error` says why not, or else the last attempt's stands.
    func settle(with error: (any Error)?) {
        if state.withLock({ $0.settle(with: error) }) { context.callbacks.post(self) }
    }

    /// Has the task take over; false if it is too late for another one.
    func restart(with task: SessionTask) -> Bool {
        reset()
        let remains = state.withLock { $0.restart(with: task) }
        return withExtendedLifetime(remains) { remains != nil }
    }

    /// Any number of seconds. Adapters may wait, so not on the callback queue.
    static func later(_ delay: TimeInterval, _ work: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue.global(qos: .utility)
        guard delay > 0 else { return queue.async(execute: work) }
        queue.asyncAfter(deadline: .now() + min(delay, 1e9), execute: work)
    }
}
