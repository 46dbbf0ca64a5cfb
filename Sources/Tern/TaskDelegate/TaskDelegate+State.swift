// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

extension TaskDelegate {
    /// The state that the delegate's lock guards: each event returns the action to take outside the lock, with user
    /// objects to release: a `deinit` may call the request, and find the lock taken.
    struct State {
        /// The phase of a request.
        enum Stage: Equatable {
            /// Its task runs, or is not started yet. Exits: ending, over.
            case running
            /// Its task has ended, and the callback queue is to conclude: validations first. Exits: asking, over.
            case ending
            /// The retrier has this question. Exits: settled, retrying.
            case asking(UInt)
            /// Another task is about to be created. Exits: running, settled.
            case retrying
            /// No retry: the callback queue is to finish. Exit: over.
            case settled
            /// The gate is open. Exit: none.
            case over
        }

        private(set) var stage = Stage.running
        /// The request, as far as it was built if there is no task.
        private let unsent: URLRequest?
        private(set) var task: SessionTask?
        private(set) var response: HTTPURLResponse?
        private(set) var error: (any Error)?
        private(set) var retryCount: UInt = 0
        /// The tasks before this one: when the first was started, and how often the engine has sent their requests again.
        private(set) var earlier: (start: MonotonicInstant?, retries: Int) = (nil, 0)
        private var validators: [Validator] = []
        /// The number of validations that have run.
        private var finishedValidatorCount = 0
        /// A waiter was let in: no validation can run before it any more.
        private var isValidated = false
        /// The request has ended before its first handler came: a retrier is asked about validations that come with that.
        private var mayBeReopened = false
        /// One of these has failed.
        private(set) var hasFailedLate = false
        private(set) var gate = Gate<Waiter>()
        /// Rare state, created on demand.
        var rareState: RareState?

        /// - Parameter error: why there is no task.
        init(request: URLRequest?, error: (any Error)? = nil) {
            unsent = request
            self.error = error
        }
    }

    /// Returns the error of a response. In a box of its own: an array of bare closures wraps each of them again, in and
    /// out.
    struct Validator: Sendable {
        let verdict: @Sendable (Completion, HTTPURLResponse) -> (any Error)?
    }

    typealias Handler = @Sendable (Completion) -> Void

    /// The end of a task.
    struct End {
        let error: (any Error)?
    }

    /// Resumed once, because a gate lets each waiter in once; a checked continuation would check that twice, and so
    /// would every copy of a waiter, whose size it hides.
    @safe
    struct WaitingTask: Sendable {
        let continuation: UnsafeContinuation<Void, Never>

        func resume() { unsafe continuation.resume() }
    }

    /// A waiter for the end of the request.
    enum Waiter {
        /// To be run on the callback queue.
        case handler(Handler)
        /// A Swift task, resumed directly.
        case waitingTask(WaitingTask)
    }
}

// The task
extension TaskDelegate.State {
    var request: URLRequest? { task?.originalRequest ?? unsent }

    mutating func begin(_ task: SessionTask) { self.task = task }

    mutating func dropTask() -> SessionTask? { task.take() }

    mutating func receive(_ response: HTTPURLResponse) { self.response = response }

    enum Ended {
        /// The gate is open, and this one was let in. The task has ended.
        case open(TaskDelegate.Waiter?, SessionTask?)
        /// The callback queue is to conclude.
        case conclude
        /// There was nothing to end.
        case nothing
    }

    /// The task has ended; the first error wins. `isPlain`: only the waiters of the gate are to be called. A waiter
    /// runs the validations then; if there is none, the callback queue does.
    mutating func end(with error: (any Error)?, isPlain: Bool) -> Ended {
        guard stage == .running else { return .nothing }
        self.error = self.error ?? error
        if isPlain, rareState == nil, validators.isEmpty || gate.isAwaited {
            stage = .over
            return .open(gate.open(), task)
        }
        stage = .ending
        return .conclude
    }

    /// There is no task, and handlers receive the reason, unless a retrier may still create one.
    mutating func endWithoutTask() -> TaskDelegate.Waiter? {
        guard task == nil, stage == .running else { return nil }
        stage = .over
        return gate.open()
    }

    /// The request is not wanted any more. Returns the task to cancel; `finishes`: the callback queue is to finish.
    /// Without an error the last attempt's stays.
    mutating func cancel(as error: (any Error)?) -> (task: SessionTask?, finishes: Bool) {
        switch stage {
        case .running: return (task, false)
        case .asking, .retrying:
            self.error = error ?? self.error
            stage = .settled
            return (task, true)
        case .ending, .settled, .over: return (task, false)
        }
    }
}

// Validation and the gate
extension TaskDelegate.State {
    mutating func admit(_ waiter: TaskDelegate.Waiter) -> TaskDelegate.Waiter? { gate.admit(waiter) }

    /// The current waiter leaves. Returns the next one.
    mutating func nextWaiter() -> TaskDelegate.Waiter? { gate.next() }

    /// The current waiter. A Swift task among them has been resumed when it was let in.
    var waiter: TaskDelegate.Waiter? { gate.current }

    /// Has no effect once a waiter has been let in.
    mutating func add(_ validator: TaskDelegate.Validator) { if !isValidated { validators.append(validator) } }

    /// The validations that have not run, once each: as the request ends, and for the first waiter.
    mutating func takeValidators() -> [TaskDelegate.Validator] {
        let left = finishedValidatorCount == 0 ? validators : Array(validators.dropFirst(finishedValidatorCount))
        finishedValidatorCount = validators.count
        if stage == .over {
            isValidated = true
            if !mayBeReopened { (validators, finishedValidatorCount) = ([], 0) }
        }
        return left
    }

    /// A validation that came behind the end has failed, and the retrier is asked: this waiter waits for what follows.
    mutating func reopen(for waiter: TaskDelegate.Waiter) {
        stage = .asking(retryCount)
        (isValidated, mayBeReopened, hasFailedLate) = (false, false, false)
        gate.close(before: waiter)
    }

    /// The result for handlers, without the body.
    var completion: Completion {
        Completion(request: request, response: response, data: nil, error: error, task: task)
    }

    /// An error: before the end, which keeps the first one, or at the end.
    mutating func fail(_ error: (any Error)?) { self.error = error }

    mutating func failed(validation error: any Error) {
        self.error = error
        hasFailedLate = stage == .over && mayBeReopened
    }
}

// The end
extension TaskDelegate.State {
    /// The retrier is asked now: one question for each attempt. False if there is no error to ask about.
    mutating func ask() -> Bool {
        guard stage == .ending || stage == .running && task == nil else { return false }
        stage = .asking(retryCount)
        return true
    }

    enum Answered {
        /// After the delay.
        case retry
        /// The callback queue is to finish.
        case finish
        /// There are no more waiters.
        case nothing
    }

    mutating func answered(_ number: UInt, _ retries: Bool) -> Answered {
        guard stage == .asking(number) else { return .nothing }
        stage = retries ? .retrying : .settled
        return retries ? .retry : .finish
    }

    /// Ends a failed retry; returns false if the request was not waiting for one.
    mutating func settle(with error: (any Error)?) -> Bool {
        guard stage == .retrying else { return false }
        stage = .settled
        self.error = error ?? self.error
        return true
    }

    /// The rest of an attempt.
    typealias Remains = (error: (any Error)?, task: SessionTask?)

    /// Another task takes over: the results of the last one are dropped, and the settings stay. Nil if it is too late.
    /// - Parameter metrics: of the last one.
    mutating func restart(with task: SessionTask, after metrics: TaskMetrics? = nil) -> Remains? {
        guard stage == .retrying else { return nil }
        let remains = (error, self.task)
        stage = .running
        self.task = task
        (response, error) = (nil, nil)
        finishedValidatorCount = 0
        retryCount += 1
        earlier = (earlier.start ?? metrics?.start, earlier.retries + (metrics?.retries.last?.number ?? 0))
        return remains
    }

    /// Opens the gate. Returns the first waiter, and the validators to release.
    ///
    /// - Parameter mayBeReopened: for validations that come with a later handler.
    mutating func open(
        mayBeReopened: Bool
    ) -> (waiter: TaskDelegate.Waiter?, spent: [TaskDelegate.Validator]) {
        stage = .over
        self.mayBeReopened = mayBeReopened
        if mayBeReopened { return (gate.open(), []) }
        defer { (validators, finishedValidatorCount) = (Array(validators.dropFirst(finishedValidatorCount)), 0) }
        return (gate.open(), validators)
    }
}

extension TaskDelegate {
    /// State that most requests never need, made on first use. Guarded by the delegate's lock.
    final class RareState {
        var credential: Credential?
        var queue: OperationQueue?
        var overrides = Overrides()
        var waitingEvents = WaitingEvents()
        var progress = Progresses()
        /// The location of the file of a data request that became a download.
        var file: URL?
        /// The request is over.
        var hasReleasedClosures = false
    }

    struct Progresses {
        /// The progress of the response body.
        var received: ProgressReport?
        /// The progress of the request body.
        var sent: ProgressReport?
    }

    /// The user's closures for one task.
    struct Overrides {
        var redirection: (@Sendable (Session, SessionTask, HTTPURLResponse, URLRequest) -> URLRequest?)?
        var challenge: (@Sendable (Session, SessionTask, Challenge) -> (ChallengeDisposition, Credential?))?
        var retry: (@Sendable (Session, SessionTask, RetryMetrics) -> RetryAnswer)?
        var bodyStream: (@Sendable (Session, SessionTask) -> InputStream?)?
        var completion: (@Sendable (Session, SessionTask, (any Error)?) -> Void)?
        var dataReceived: (@Sendable (Session, SessionDataTask, Data) -> Void)?
        var willCache: (@Sendable (Session, SessionDataTask, CachedURLResponse) -> CachedURLResponse?)?
        var cachedResponseHandler: (any CachedResponseHandler)?
        var fileFinished: (@Sendable (Session, SessionDownloadTask, URL) -> URL)?
        var fileWritten: (@Sendable (Session, SessionDownloadTask, Int64, Int64, Int64) -> Void)?
        var fileResumed: (@Sendable (Session, SessionDownloadTask, Int64, Int64) -> Void)?
        var dataSent: (@Sendable (Session, SessionTask, Int64, Int64, Int64) -> Void)?
    }
}
