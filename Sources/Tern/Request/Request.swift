// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Synchronization
public import TernEngine
import TernLock

/// A request and its task; calls are chained to it. Thread-safe.
///
/// A request runs to its end whether it is referenced or not. A ``SessionManager`` creates requests; the class is open
/// as in Alamofire.
///
/// Sendable because it and its subclasses store only immutable values and locks.
open class Request: @unchecked Sendable {
    /// Receives the progress of a request.
    @preconcurrency public typealias ProgressHandler = @Sendable (Progress) -> Void

    private let taskDelegate: TaskDelegate
    /// The source of the request's tasks; nil if there is none.
    let original: (any TaskSource)?
    /// Whether there is no task because an adapter has thrown.
    let isUnadapted: Bool

    /// Creates a task of `original`; there is none without it, or if an adapter throws.
    init(_ original: (any TaskSource)?, delegate: TaskDelegate) {
        taskDelegate = delegate
        self.original = original
        var isUnadapted = false
        var task: SessionTask?
        do {
            task = try original?.task(telling: delegate, keeping: nil)
        } catch let error as AdaptError {
            delegate.error = error.underlying
            isUnadapted = true
        } catch {
            delegate.error = error
        }
        self.isUnadapted = isUnadapted
        if let task { delegate.begin(task) }
    }

    deinit {
        // A task that never starts does not release its delegate.
        switch taskDelegate.start.load(ordering: .relaxed) {
        case .unstarted, .ended: taskDelegate.dropTask()
        case .started, .starting, .unsent: break
        }
    }

    /// The delegate of the request's task.
    open var delegate: TaskDelegate { taskDelegate }

    /// The task; another one after each retry, and nil if no request could be created.
    open var task: SessionTask? { taskDelegate.task }

    /// The session of the task.
    open var session: Session { context.session }

    /// The request after the adapter; nil if it could not be created.
    open var request: URLRequest? { taskDelegate.state.withLock { $0.request } }

    /// The head of the response, as soon as it has arrived.
    open var response: HTTPURLResponse? { taskDelegate.response }

    /// The number of retries.
    open var retryCount: UInt { taskDelegate.state.withLock { $0.retryCount } }

    /// Starts the request, or reverts one `suspend()`. A request that could not be created calls its handlers now.
    ///
    /// A manager calls it for the requests that it starts. Such a request counts as resumed, and is sent with its first
    /// response handler, when it is awaited, or with another `resume()`; without these within a tenth of a second.
    open func resume() {
        guard let task else { return taskDelegate.endWithoutTask() }
        if taskDelegate.start.load(ordering: .relaxed) == .starting {
            taskDelegate.start.store(task.resumeUnsent() ? .unsent : .started, ordering: .relaxed)
        } else {
            retain()
            taskDelegate.send()
            // Tern's own delegates run no user code on the reactor.
            task.resumeHere()
        }
        TaskNotifications.didResume(self, task)
    }

    /// Stops reading from the socket until `resume()`, which slows the server down. Counted.
    open func suspend() {
        guard let task else { return }
        task.suspend()
        TaskNotifications.didSuspend(self, task)
    }

    /// Ends the request with ``TernEngine/SessionError/Reason/cancelled``, unless it has ended; also while it waits to
    /// be retried.
    open func cancel() {
        retain()
        guard let task = taskDelegate.cancel() else { return }
        TaskNotifications.didCancel(self, task)
    }

    /// Answers a request for credentials of the request's origin with this name and password. Once a redirect has led
    /// to another origin they are not sent, even after a return. If the server accepts them, the session's storage keeps
    /// them for so long, where the session has one.
    @discardableResult
    open func authenticate(
        user: String, password: String, persistence: Credential.Persistence = .forSession
    ) -> Self {
        authenticate(usingCredential: Credential(user: user, password: password, persistence: persistence))
    }

    /// Answers a request for credentials of the request's origin with this credential, and sends it to no other origin.
    @discardableResult
    open func authenticate(usingCredential credential: Credential) -> Self {
        taskDelegate.credential = credential
        return self
    }

    /// Returns the header field that sends a name and a password without a challenge (RFC 7617 §2).
    open class func authorizationHeader(user: String, password: String) -> (key: String, value: String)? {
        ("Authorization", BasicScheme.authorization("\(user):\(password)"))
    }

    var context: RequestContext { taskDelegate.context }
}

extension Request {
    /// From now on it lives until it has ended.
    private func retain() {
        if taskDelegate.begins(from: .unstarted), let task { context.tasks.retain(requestOf: task) }
    }

    /// The awaiting task no longer waits for it.
    func cancelAwaited() {
        cancel()
        // Without a task only the error is left to deliver.
        if task == nil { resume() }
    }

    /// Ends the request because the manager was released.
    func abandon() {
        retain()
        _ = taskDelegate.cancel(as: nil)
    }
}

extension Request: CustomStringConvertible, CustomDebugStringConvertible {
    /// "METHOD url (status)", as far as known; without userinfo.
    public var description: String {
        guard let request else { return "" }
        return Redaction.summary(request) + (response.map { " (\($0.statusCode))" } ?? "")
    }

    /// A curl command for the same request, without credentials and values marked as sensitive.
    public var debugDescription: String {
        let command = request.flatMap {
            CurlCommand(
                $0, defaultHeaders: context.defaultHeaders, cookies: context.cookies,
                sensitiveFields: context.sensitiveFields)
        }
        return command?.description ?? "$ curl command could not be created"
    }
}

// For managers of other kinds that create requests of this one.
extension Request {
    /// Runs its argument later.
    package typealias Deferral = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Runs work on the callback queue after the progress reports that wait there. Does not retain the request.
    package var afterReports: Deferral {
        { [callbacks = context.callbacks] work in callbacks.post(CallbackBlock(work)) }
    }
}
