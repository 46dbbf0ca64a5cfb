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

    /// Whether only the user references the request.
    let isUnstarted = Atomic<Bool>(false)

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

    /// Cancels the task as its kind is cancelled.
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
    /// another origin does not send it (``Challenge/hasLeftOrigin``).
    func answerByDefault(
        _ challenge: Challenge, _ answer: (ChallengeDisposition, Credential?) -> Void
    ) {
        // The verdict of the policies is kept.
        if challenge.protectionSpace.authenticationMethod == .serverTrust {
            return answer(.performDefaultHandling, nil)
        }
        if challenge.previousFailureCount > 0 || challenge.hasLeftOrigin { return answer(.rejectProtectionSpace, nil) }
        guard let credential else { return answer(.performDefaultHandling, nil) }
        answer(.useCredential, credential)
    }
}
