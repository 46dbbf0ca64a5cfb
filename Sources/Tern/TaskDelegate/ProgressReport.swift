// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import TernEngine
import TernLock

/// A `Progress` and the handler that is called when it changes. A busy queue finds one report waiting for it, with the
/// latest numbers. A handler that is added late is called with the current numbers.
///
/// `Progress` is changed only on the queue of the reports, so that handlers may read it.
final class ProgressReport: Sendable {
    typealias Handler = @Sendable (Progress) -> Void
    typealias Updates = AsyncStream<Progress>

    private struct State {
        var completed: Int64
        var total: Int64
        var isWaiting = false
        var isOver = false
        var queue: DispatchQueue?
        var handler: Handler?
        var updates: [Int: Updates.Continuation] = [:]
        var updatesCount = 0

        var hasBegun: Bool { completed > 0 }
    }

    let progress = Progress(totalUnitCount: 0)
    private let callbacks: CallbackQueue
    private let state: Lock<State>

    init(callbacks: CallbackQueue, _ counts: (Int64, of: Int64)) {
        self.callbacks = callbacks
        state = Lock(State(completed: counts.0, total: counts.of))
        progress.totalUnitCount = counts.of
        progress.completedUnitCount = counts.0
    }

    deinit {
        for continuation in state.withLock({ $0.updates.values }) { continuation.finish() }
    }

    /// Calls `handler` from now on, in place of the previous one.
    func tell(on queue: DispatchQueue?, _ handler: @escaping Handler) {
        let (replaced, posts) = state.withLock { state in
            let replaced = (state.queue, state.handler)
            (state.queue, state.handler) = (queue, handler)
            let posts = state.hasBegun && !state.isWaiting
            state.isWaiting = state.isWaiting || posts
            return (replaced, posts)
        }
        withExtendedLifetime(replaced) {}
        if posts { post(on: queue) }
    }

    /// The numbers as a sequence, which ends with the request.
    func updates(_ policy: Updates.Continuation.BufferingPolicy) -> Updates {
        let (updates, continuation) = Updates.makeStream(bufferingPolicy: policy)
        let (number, current, isOver) = state.withLock { state in
            state.updatesCount += 1
            if !state.isOver { state.updates[state.updatesCount] = continuation }
            return (state.updatesCount, state.hasBegun ? Self.copy(state) : nil, state.isOver)
        }
        if let current { continuation.yield(current) }
        if isOver { continuation.finish() }
        continuation.onTermination = { [weak self] _ in
            let continuation = self?.state.withLock { $0.updates.removeValue(forKey: number) }
            withExtendedLifetime(continuation) {}
        }
        return updates
    }

    /// Reports these numbers.
    ///
    /// - Parameter isCatchingUp: they were counted before the report was known to those who count, and newer ones stay.
    func update(_ completed: Int64, of total: Int64, isCatchingUp: Bool = false) {
        typealias Listeners = (continuations: [Int: Updates.Continuation].Values, copy: Progress)
        let (posts, queue, listeners) = state.withLock { state -> (Bool, DispatchQueue?, Listeners?) in
            if isCatchingUp, completed <= state.completed { return (false, state.queue, nil) }
            (state.completed, state.total) = (completed, total)
            defer { state.isWaiting = true }
            let listeners = state.updates.isEmpty ? nil : (state.updates.values, Self.copy(state))
            return (!state.isWaiting, state.queue, listeners)
        }
        if let (continuations, copy) = listeners { for continuation in continuations { continuation.yield(copy) } }
        if posts { post(on: queue) }
    }

    private func post(on queue: DispatchQueue?) {
        if let queue { queue.async { self.performCallbacks() } } else { callbacks.post(self) }
    }

    /// Not changed any more: the receiver may keep it.
    private static func copy(_ state: State) -> Progress {
        let copy = Progress(totalUnitCount: state.total)
        copy.completedUnitCount = state.completed
        return copy
    }

    /// The request has ended: the waiting report is the last.
    func releaseClosures() {
        let (handler, continuations) = state.withLock { state in
            state.isOver = true
            let continuations = state.updates.values
            state.updates = [:]
            return (state.isWaiting ? nil : state.handler.take(), continuations)
        }
        for continuation in continuations { continuation.finish() }
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

extension TaskDelegate {
    /// Calls `handler` with the current progress, and with each change.
    func tell(_ report: ProgressReport, on queue: DispatchQueue?, _ handler: @escaping ProgressReport.Handler) {
        report.tell(on: queue, handler)
        if state.withLock({ $0.hasReleasedClosures }) { report.releaseClosures() }
    }

    /// The changes as a sequence, which ends with the request.
    func updates(
        of report: ProgressReport, _ policy: ProgressReport.Updates.Continuation.BufferingPolicy
    ) -> ProgressReport.Updates {
        let updates = report.updates(policy)
        if state.withLock({ $0.hasReleasedClosures }) { report.releaseClosures() }
        return updates
    }

    /// One of the two reports, created on demand.
    ///
    /// - Parameters:
    ///   - counts: the current and the total number.
    ///   - register: makes the report known to those who count, if ``Progresses`` does not.
    func report(
        _ direction: WritableKeyPath<Progresses, ProgressReport?>, _ counts: () -> (Int64, of: Int64),
        register: (ProgressReport) -> Void = { _ in }
    ) -> ProgressReport {
        if let report = state.withLock({ $0.rareState?.progress[keyPath: direction] }) { return report }
        let made = ProgressReport(callbacks: context.callbacks, counts())
        let report = state.withLock { state in
            let rareState = state.makeRareState()
            if let report = rareState.progress[keyPath: direction] { return report }
            rareState.progress[keyPath: direction] = made
            return made
        }
        guard report === made else { return report }
        control(by: made.progress)
        register(made)
        // Until here nobody who counts knew the report.
        let (completed, total) = counts()
        made.update(completed, of: total, isCatchingUp: true)
        return made
    }

    /// The holder of the progress may cancel, suspend and resume.
    private func control(by progress: Progress) {
        progress.isCancellable = true
        progress.isPausable = true
        progress.cancellationHandler = { [weak self] in _ = self?.cancel() }
        progress.pausingHandler = { [weak self] in self?.task?.suspend() }
        progress.resumingHandler = { [weak self] in self?.task?.resume() }
    }
}

extension TaskDelegate.State {
    /// Whether objects that the user passes from now on would not be released.
    fileprivate var hasReleasedClosures: Bool { stage == .over || rareState?.hasReleasedClosures == true }
}
