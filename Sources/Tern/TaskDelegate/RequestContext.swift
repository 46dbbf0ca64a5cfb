// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernEngine

/// The values that all requests of a session manager share. May outlive the manager.
final class RequestContext: Sendable {
    let session: Session
    let hub: any TaskHub
    let interception: any TaskInterception
    let tasks: any TaskTable
    let callbacks: CallbackQueue
    /// Added to every request that has no such field.
    let defaultHeaders: HeaderFields
    /// Says which stored cookies requests send.
    let cookies: CookieUse
    let sensitiveFields: SensitiveFields
    let bodyLimits: BodyLimits
    private let manages = Atomic<Bool>(true)

    init(
        session: Session, hub: any TaskHub, interception: any TaskInterception, tasks: any TaskTable,
        callbacks: CallbackQueue
    ) {
        self.session = session
        self.hub = hub
        self.interception = interception
        self.tasks = tasks
        self.callbacks = callbacks
        defaultHeaders = session.configuration.httpAdditionalHeaders
        cookies = CookieUse(of: session.configuration)
        sensitiveFields = session.configuration.sensitiveFields
        bodyLimits = session.configuration.bodyLimits
    }

    /// Whether the manager was released, so that no request is retried.
    var isOver: Bool { !manages.load(ordering: .sequentiallyConsistent) }

    /// Called when the manager is released.
    func end() { manages.store(false, ordering: .sequentiallyConsistent) }
}

/// The user's closures and overridden methods, as a task's delegate sees them.
protocol TaskHub: QueuedDelegate {
    /// Whether a retrier, a closure or an overridden method may act between the end of a task and that of its request.
    var isConcerned: Bool { get }
    /// The closure that provides a new body stream.
    var newStream: (@Sendable (Session, SessionTask) -> InputStream?)? { get }
    /// Calls the closure for the end of a task. On the callback queue.
    func deliverCompletion(of task: SessionTask, _ error: (any Error)?)
}

/// The adapter and the retrier of a manager, as a task's delegate sees them.
protocol TaskInterception: AnyObject, Sendable {
    var hasRetrier: Bool { get }
    /// Returns the request that is sent in place of this one.
    func adapt(_ request: URLRequest) throws -> URLRequest
    /// Returns a retry of the task's request; nil without a retrier, or if the task belongs to no request.
    func retry(of task: SessionTask) -> (any TaskRetry)?
}

/// One retry of a request, from the question to the retrier to the next task.
protocol TaskRetry: AnyObject, Sendable {
    /// Asks the retrier about an error. Calls `answer` once.
    func ask(about error: any Error, _ answer: @escaping RetrierAnswer)
    /// Makes another task of the original request, and starts it.
    func perform()
}

/// A retrier's answer; the delay is in seconds.
typealias RetrierAnswer = @Sendable (_ retries: Bool, _ delay: TimeInterval) -> Void

/// The table of tasks and their requests, as a task's delegate sees it.
protocol TaskTable: AnyObject, Sendable {
    /// Retains the request of a task that starts.
    func retain(requestOf task: SessionTask)
    /// Adds the download that a task became, with the task's request.
    func add(_ download: SessionDownloadTask, inPlaceOf task: SessionTask)
    /// References the request of a task that has ended weakly from now on.
    func letGo(_ task: SessionTask)
    /// Removes a task that has ended or will never start.
    func remove(_ task: SessionTask)
}
