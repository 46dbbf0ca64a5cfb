// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Synchronization
public import TernEngine
import TernLock

/// Handles the task of one request, and holds response handlers back until the request has ended. It outlives the task
/// if the request is retried.
///
/// Runs no user code on the reactor: overridden methods run on the callback queue, validations there or in an awaiting
/// task. Any thread may use it; Sendable because all mutable state is behind a lock.
open class TaskDelegate: @unchecked Sendable {
    let context: RequestContext
    let state: Lock<State>
    /// Whether a closure or an overridden method is to be called: then the events of the task pass through the callback
    /// queue.
    let isRelayed = Atomic<Bool>(false)

    let start = Atomic<Start>(.started)

    /// How far the start of the request has come.
    enum Start: UInt8, AtomicRepresentable {
        case started
        /// Only the user references it, and starts it.
        case unstarted
        /// Its manager starts it.
        case starting
        /// It has been started, and is sent with its first handler: everything that is chained before counts.
        case unsent
        /// It has ended without a handler. Only the user references it, and may still add one.
        case ended
    }

    init(request: URLRequest?, error: (any Error)? = nil, context: RequestContext) {
        self.context = context
        state = Lock(State(request: request, error: error))
    }

    /// Operations that run when the request has ended: one at a time, after the handlers that were added before them
    /// and before those that are added later. Created on demand, and suspended until then.
    open var queue: OperationQueue {
        if let queue = state.withLock({ $0.rareState?.queue }) { return queue }
        let made = OperationQueue()
        made.maxConcurrentOperationCount = 1
        made.isSuspended = true
        made.qualityOfService = .utility
        let (queue, waiter) = state.withLock { state -> (OperationQueue, Waiter?) in
            let rareState = state.makeRareState()
            if let queue = rareState.queue { return (queue, nil) }
            rareState.queue = made
            return (made, state.admit(.handler { [weak self] _ in self?.open(made) }))
        }
        resumeWaiter(waiter)
        return queue
    }

    /// The body, if it is collected.
    open var data: Data? { nil }

    /// The first error so far.
    open var error: (any Error)? {
        get { state.withLock { $0.error } }
        set {
            let old = state.withLock { state in
                let old = state.error
                state.fail(newValue)
                return old
            }
            withExtendedLifetime(old) {}
        }
    }

    /// The task; another one after each retry, and nil if no request could be created.
    public var task: SessionTask? { state.withLock { $0.task } }

    /// When the response began to arrive, in seconds since 2001-01-01T00:00:00Z. Known when the task has ended.
    public var initialResponseTime: TimeInterval? {
        guard let metrics, metrics.responseStart != nil else { return nil }
        return Timeline(metrics).initialResponseTime
    }

    /// The metrics of the task, once it has ended.
    public var metrics: TaskMetrics? { task?.metrics }

    /// The credential for a server that requests one.
    public var credential: Credential? {
        get { state.withLock { $0.rareState?.credential } }
        set { state.withLock { $0.makeRareState().credential = newValue } }
    }

    /// The head of the response, as soon as it has arrived.
    var response: HTTPURLResponse? { state.withLock { $0.response } }

    /// The delegate that the engine calls.
    var receiver: any SessionDownloadDelegate { NoOpTaskDelegate.shared }

    /// Receives the head of a response.
    func receive(_ response: HTTPURLResponse, of task: SessionTask) { state.withLock { $0.receive(response) } }

    /// Receives the next bytes of the body.
    func receive(_ bytes: Span<UInt8>, of task: SessionTask) {}

    /// Called when more of the request body was sent.
    func sent(_ count: Int64, total: Int64, expected: Int64, of task: SessionTask) {}

    /// Receives an event of a download, which may have replaced the task.
    func take(_ event: DownloadEvent, of download: SessionDownloadTask) {
        if case .replaced = event { begin(download) }
    }

    /// Whether the request keeps the file at this location.
    func holds(_ location: URL) -> Bool { false }

    /// The task has ended.
    func complete(with error: (any Error)?) { end(with: error) }

    /// Passes the body to the stream, or the file to the destination. On the callback queue.
    func deliverBody() {}

    /// Adds the body, or the outcome of the download.
    func fill(_ completion: inout Completion) { completion.data = data }

    /// Cancels the task; a download also produces resume data.
    func stop(_ task: SessionTask) { task.cancel() }

    /// Releases the user's closures when the request has ended.
    func releaseClosures() {
        let (overrides, progress) = state.withLock { state -> (Overrides?, Progresses?) in
            defer { state.rareState?.overrides = Overrides() }
            state.rareState?.hasReleasedClosures = true
            return (state.rareState?.overrides, state.rareState?.progress)
        }
        progress?.received?.releaseClosures()
        progress?.sent?.releaseClosures()
        withExtendedLifetime(overrides) {}
    }

    /// Discards the result of the last attempt.
    func reset() {}

    deinit {
        // Remaining operations must not wait forever.
        let queue = state.withLock { $0.rareState?.queue }
        queue?.cancelAllOperations()
        queue?.isSuspended = false
    }
}

extension TaskDelegate.State {
    /// Returns the rare state, and creates it on first use.
    mutating func makeRareState() -> TaskDelegate.RareState {
        if let rareState { return rareState }
        let made = TaskDelegate.RareState()
        rareState = made
        return made
    }
}

// Challenges without a closure.
extension TaskDelegate {
    /// Answers with the credential, if there is one, and if the request was meant for this server: a redirect to
    /// another origin does not send it (``TernEngine/Challenge/hasLeftOrigin``). Otherwise with what the session's storage
    /// has.
    func answerByDefault(
        _ challenge: Challenge, _ answer: (ChallengeDisposition, Credential?) -> Void
    ) {
        // The verdict of the policies is kept.
        if challenge.protectionSpace.authenticationMethod == .serverTrust {
            return answer(.performDefaultHandling, nil)
        }
        if challenge.previousFailureCount > 0 { return answer(.rejectProtectionSpace, nil) }
        guard let credential, !challenge.hasLeftOrigin else { return answer(.performDefaultHandling, nil) }
        answer(.useCredential, credential)
    }
}

// The order in which a request ends: bytes, validations, the retrier, the delegate's closures, the notification, the
// gate.
extension TaskDelegate: CallbackQueue.Source {
    package func performCallbacks() {
        if isRelayed.load(ordering: .relaxed) { deliverEvents() }
        deliverBody()
        conclude()
        resumeWaiters()
    }

    /// Sends a request that has been started and waits for its first handler.
    func send() { if begins(from: .unsent) { task?.sendHere() } }

    /// Whether the caller is the one that starts it, or sends it.
    func begins(from stage: Start) -> Bool {
        start.load(ordering: .relaxed) == stage
            && start.compareExchange(expected: stage, desired: .started, ordering: .relaxed).exchanged
    }

    /// This task is the first.
    func begin(_ task: SessionTask) { state.withLock { $0.begin(task) } }

    /// The task was never started, and cannot be any more.
    func dropTask() {
        guard let task = state.withLock({ $0.dropTask() }) else { return }
        context.tasks.remove(task)
    }

    /// The task has ended, and its last byte has been processed.
    func end(with error: (any Error)?) {
        let isPlain = !mayBeRetried && !TaskNotifications.isWatched
        let error = error.map(reason)
        switch state.withLock({ $0.end(with: error, isPlain: isPlain) }) {
        case .open(let waiter, let task):
            if let task { context.tasks.remove(task) }
            resumeWaiter(waiter)
        case .conclude: context.callbacks.post(self)
        case .nothing: break
        }
    }

    /// The error; after the release of the manager it names that as the cause instead of a cancellation.
    private func reason(of error: any Error) -> any Error {
        guard context.isOver, let error = error as? SessionError, case .cancelled = error.reason else { return error }
        return SessionError(
            .sessionInvalidated, phase: error.phase, origin: error.origin, remoteAddress: error.remoteAddress,
            wasSent: error.wasSent, isSafeToRepeat: error.isSafeToRepeat,
            countOfBytesReceived: error.countOfBytesReceived, resumeData: error.resumeData, proxy: error.proxy)
    }

    /// Whether a retrier or a closure may act between the end of a task and that of the request.
    var mayBeRetried: Bool { isRelayed.load(ordering: .relaxed) || context.hub.isConcerned }

    /// There is no task, because no request could be created: handlers receive the error now.
    func endWithoutTask() {
        let (isOver, waiter) = state.withLock { state in
            let waiter = state.endWithoutTask()
            return (state.stage == .over, waiter)
        }
        if isOver { releaseClosures() }
        resumeWaiter(waiter)
    }

    /// On the callback queue.
    private func conclude() {
        switch state.withLock({ $0.stage }) {
        case .ending:
            guard runValidators().error != nil, context.interception.hasRetrier, asks() else { return finish() }
            ask(task.flatMap { context.interception.retry(of: $0) })
        case .settled: finish()
        case .running, .asking, .retrying, .over: break
        }
    }

    private func finish() {
        let (task, error, isAwaited) = state.withLock { ($0.task, $0.error, $0.gate.isAwaited) }
        let isTold = start.load(ordering: .relaxed) == .ended
        let mayBeReopened =
            !isAwaited && !isTold && task != nil && error == nil && context.interception.hasRetrier
        if let task, !isTold {
            let closure = state.withLock { $0.rareState?.overrides.completion }
            context.hub.deliverCompletion(of: task, error)
            closure?(context.session, task, error)
            if TaskNotifications.isWatched {
                var completion = state.withLock { $0.completion }
                fill(&completion)
                TaskNotifications.didComplete(context.hub, task, completion.data)
            }
        }
        if mayBeReopened { start.store(.ended, ordering: .relaxed) }
        if let task { if mayBeReopened { context.tasks.letGo(task) } else { context.tasks.remove(task) } }
        releaseClosures()
        let (waiter, spent) = state.withLock { $0.open(mayBeReopened: mayBeReopened) }
        if case .waitingTask(let waitingTask)? = waiter { waitingTask.resume() }
        withExtendedLifetime(spent) {}
    }

    /// Cancels the task, or the pending creation of another one, which then ends with `error`. Returns the task, if
    /// there is one.
    func cancel(as error: SessionError? = SessionError(.cancelled, phase: .request)) -> SessionTask? {
        let (task, finishes) = state.withLock { $0.cancel(as: error) }
        if finishes {
            context.callbacks.post(self)
        } else if let task {
            // Without an error of its own nothing resumes it.
            if error == nil { task.abandon() } else { stop(task) }
            // The task may have become a download meanwhile.
            if !(task is SessionDownloadTask), let download = self.task as? SessionDownloadTask { download.cancel() }
        }
        return task
    }
}

// Retrying
extension TaskDelegate {
    /// Asks the retrier now; false if there is no error to ask about.
    func asks() -> Bool { state.withLock { $0.ask() } }

    /// Asks the retrier on the callback queue, for callers on other threads.
    func askSoon(_ retry: any TaskRetry) { context.callbacks.post(CallbackBlock { [self] in ask(retry) }) }

    private func ask(_ retry: (any TaskRetry)?) {
        let (error, number) = state.withLock { ($0.error, $0.retryCount) }
        guard let error, let retry else { return answered(number, nil, after: 0) }
        retry.ask(about: error) { [self] retries, delay in answered(number, retries ? retry : nil, after: delay) }
    }

    /// - Parameter retry: nil if the request is not retried.
    private func answered(_ number: UInt, _ retry: (any TaskRetry)?, after delay: TimeInterval) {
        switch state.withLock({ $0.answered(number, retry != nil) }) {
        case .retry: later(delay) { retry?.perform() }
        case .finish: context.callbacks.post(self)
        case .nothing: break
        }
    }

    /// Ends without a retry, with `error` or, if nil, that of the last attempt.
    func settle(with error: (any Error)?) {
        if state.withLock({ $0.settle(with: error) }) { context.callbacks.post(self) }
    }

    /// Replaces the task; returns false if the request has ended.
    func restart(with task: SessionTask) -> Bool {
        reset()
        let metrics = self.task?.metrics
        let remains = state.withLock { $0.restart(with: task, after: metrics) }
        // The caller starts this task itself.
        if start.load(ordering: .relaxed) != .started { start.store(.started, ordering: .relaxed) }
        return withExtendedLifetime(remains) { remains != nil }
    }

    /// Adapters may block, so not on the callback queue. The number of seconds may be any.
    private func later(_ delay: TimeInterval, _ work: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue.global(qos: .utility)
        guard delay > 0 else { return queue.async(execute: work) }
        if let clock = context.session.configuration.clock {
            Task {
                try await Duration.seconds(min(delay, 1e9)).sleep(by: clock)
                queue.async(execute: work)
            }
            return
        }
        queue.asyncAfter(deadline: .now() + min(delay, 1e9), execute: work)
    }
}

// Waiters at the gate.
extension TaskDelegate {
    /// Runs the handler on the callback queue: after the end and the earlier handlers and operations.
    func handle(_ handler: @escaping Handler) {
        let sends = begins(from: .unsent)
        let (queue, task) = state.withLock { ($0.rareState?.queue, sends ? $0.task : nil) }
        if let queue {
            // A request that never ends must not be retained by its own queue.
            queue.addOperation { [weak self] in self?.admit(.handler(handler)) }
            if !queue.isSuspended { stay(until: queue) }
        } else {
            admit(.handler(handler))
        }
        task?.sendHere()
    }

    /// Lets the operations run.
    private func open(_ queue: OperationQueue) {
        queue.isSuspended = false
        stay(until: queue)
    }

    /// Lives until the existing operations have run.
    private func stay(until queue: OperationQueue) { queue.addOperation { withExtendedLifetime(self) {} } }

    private func admit(_ newWaiter: Waiter) {
        let waiter = state.withLock { $0.admit(newWaiter) }
        resumeWaiter(waiter)
    }

    /// Waits for the end and the earlier handlers.
    func validatedCompletion() async -> Completion {
        await unsafe withUnsafeContinuation { continuation in
            let waitingTask = unsafe WaitingTask(continuation: continuation)
            admit(.waitingTask(waitingTask))
            send()
        }
        var completion = runValidators()
        while completion.error != nil, let retry = lateRetry(of: completion) {
            await unsafe withUnsafeContinuation { continuation in
                let waitingTask = unsafe WaitingTask(continuation: continuation)
                state.withLock { $0.reopen(for: .waitingTask(waitingTask)) }
                askSoon(retry)
            }
            completion = runValidators()
        }
        resumeWaiter(state.withLock { $0.nextWaiter() })
        return completion
    }

    /// Validates the response before any handler runs.
    func validate(_ validator: Validator) { state.withLock { $0.add(validator) } }

    private func resumeWaiter(_ waiter: Waiter?) {
        switch waiter {
        case .handler: context.callbacks.post(self)
        case .waitingTask(let waitingTask): unsafe context.callbacks.resume(waitingTask.continuation)
        case nil: break
        }
    }

    /// The first caller runs the validations, unless there is an error already.
    private func runValidators() -> Completion {
        var (validators, completion) = state.withLock { ($0.takeValidators(), $0.completion) }
        fill(&completion)
        guard completion.error == nil, let response = completion.response else { return completion }
        for validator in validators {
            guard let error = validator.verdict(completion, response) else { continue }
            state.withLock { $0.failed(validation: error) }
            completion.error = error
            break
        }
        return completion
    }

    /// With what a retrier is asked about a validation that came behind the end, and failed.
    private func lateRetry(of completion: Completion) -> (any TaskRetry)? {
        guard state.withLock({ $0.hasFailedLate }) else { return nil }
        return completion.task.flatMap { context.interception.retry(of: $0) }
    }

    /// Runs handlers until there are no waiters, or an awaiting task was let in and continues from there. On the
    /// callback queue.
    private func resumeWaiters() {
        var waiter = state.withLock { $0.waiter }
        guard case .handler? = waiter else { return }
        while case .handler(let handler)? = waiter {
            let completion = runValidators()
            if completion.error != nil, let retry = lateRetry(of: completion) {
                state.withLock { $0.reopen(for: .handler(handler)) }
                return ask(retry)
            }
            handler(completion)
            // The gate drops the handler: its last reference must not be the one under the lock.
            waiter = withExtendedLifetime(waiter) { state.withLock { $0.nextWaiter() } }
        }
        if case .waitingTask(let waitingTask)? = waiter { waitingTask.resume() }
    }
}
