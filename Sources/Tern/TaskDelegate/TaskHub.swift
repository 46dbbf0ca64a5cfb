// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// What a task's delegate asks of the hub it belongs to, which knows the request, the manager, and the user's closures.
protocol TaskHub: AnyObject, Sendable {
    /// Whether the end of a task is not simply that of its request.
    var isConcerned: Bool { get }
    /// Whether anybody may have a request asked again.
    var hasRetrier: Bool { get }
    /// Whether a closure or a subclass may answer server trust challenges.
    var answersServerTrustChallenges: Bool { get }
    /// What is sent in place of a request.
    func adapt(_ request: URLRequest) throws -> URLRequest
    /// Asks the retrier about an error. `answer` is called once; at once, if there is no retrier.
    func ask(about delegate: TaskDelegate, _ error: any Error, _ answer: @escaping RetryAnswer)
    /// Has another task made for what was asked for at first.
    func retry(_ delegate: TaskDelegate)
    /// The user's closure that brings a new stream.
    var newStream: (@Sendable (Session, SessionTask) -> InputStream?)? { get }
    /// Tells of what has happened to a task. On the callback queue.
    func deliver(_ event: TaskEvent, of task: SessionTask, in session: Session, to delegate: TaskDelegate?)
    /// Tells of the end of a task. On the callback queue.
    func tellCompletion(of task: SessionTask, _ error: (any Error)?)
    /// Tells of what has happened to a stream of bytes. On the callback queue.
    func deliver(_ event: StreamEvent, of task: StreamTask, in session: Session)
    /// A request that was not held is started.
    func hold(_ task: SessionTask)
    /// A task's request has this one from now on; the other is still known.
    func add(_ download: SessionDownloadTask, inPlaceOf task: SessionTask)
    /// The task has ended, or will never be started.
    func remove(_ task: SessionTask)
    /// Whether only the hub still holds the task's request.
    func isOnlyHolder(ofRequestOf task: SessionTask) -> Bool
    /// A request without a task does not wait for one any more.
    func forget(_ delegate: TaskDelegate)
}

typealias RetryAnswer = @Sendable (_ retries: Bool, _ delay: TimeInterval) -> Void
