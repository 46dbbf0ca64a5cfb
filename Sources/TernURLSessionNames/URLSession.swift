// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine
import TernFoundation

/// ``TernEngine/Session``
public typealias URLSession = Session
/// ``TernEngine/SessionTask``
public typealias URLSessionTask = SessionTask
/// ``TernEngine/SessionDataTask``
public typealias URLSessionDataTask = SessionDataTask
/// ``TernEngine/SessionDownloadTask``
public typealias URLSessionDownloadTask = SessionDownloadTask
/// ``TernEngine/SessionUploadTask``
public typealias URLSessionUploadTask = SessionUploadTask
/// ``TernEngine/StreamTask``
public typealias URLSessionStreamTask = StreamTask
/// ``TernEngine/TaskMetrics``
public typealias URLSessionTaskMetrics = TaskMetrics
/// ``TernEngine/HopMetrics``
public typealias URLSessionTaskTransactionMetrics = HopMetrics

extension Session {
    /// ``TernEngine/ResponseAnswer``
    public typealias ResponseAnswer = TernEngine.ResponseAnswer
    /// ``TernEngine/ResponseAnswer``
    public typealias ResponseDisposition = TernEngine.ResponseAnswer

    /// The answer about a request that was delayed, which is never asked for.
    public enum DelayedRequestDisposition: Int, Sendable {
        /// Send it.
        case continueLoading
        /// Send another.
        case useNewRequest
        /// End the task.
        case cancel
    }

    /// The session of the process, which keeps cookies and credentials as `URLSessionConfiguration.default` does. As in
    /// URLSession, `invalidateAndCancel()` and `finishTasksAndInvalidate()` have no effect on it: others use it, too.
    public static let shared = {
        let session = Session(configuration: URLSessionConfiguration.default)
        session.ruleOutInvalidation()
        return session
    }()

    /// A session with this configuration.
    public convenience init(configuration: URLSessionConfiguration) {
        self.init(configuration: configuration, delegate: (any URLSessionDelegate)?.none, delegateQueue: nil)
    }

    /// A session with this configuration, which calls `delegate` and completion handlers on `delegateQueue`, one after
    /// another; nil for a queue of its own. It retains the delegate until it is invalidated, or released after the end
    /// of its last task.
    public convenience init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue? = nil
    ) {
        let hub = DelegateHub(delegate, queue, configuration)
        self.init(configuration: configuration.ofURLSession, delegate: hub)
        hub.attach(to: self)
    }

    /// A copy of the configuration that the session was made with.
    public var configuration: URLSessionConfiguration { hub?.configuration ?? URLSessionConfiguration(settings) }

    /// The delegate that the session was made with, until it is invalid. That of a ``Tern/SessionManager`` is one with
    /// `TernAlamofire`.
    public var delegate: (any URLSessionDelegate)? {
        let delegate = engineDelegate
        if let hub = delegate as? DelegateHub { return hub.listener.session }
        return delegate as? any URLSessionDelegate
    }

    /// The delegates and the queue; nil for a session that was not made with URLSession's initialisers.
    var hub: DelegateHub? { engineDelegate as? DelegateHub }

    /// A description set by the caller; Tern does not use it. Nil, and without effect, for a session that was not made
    /// with URLSession's initialisers.
    public var sessionDescription: String? {
        get { hub?.sessionDescription }
        set { hub?.sessionDescription = newValue }
    }

    /// The queue on which delegates and completion handlers are called.
    public var delegateQueue: OperationQueue { hub?.queue ?? .main }
}

extension SessionTask {
    /// The same task.
    public func copy() -> Any { self }

    /// The same task.
    public func copy(with zone: NSZone?) -> Any { self }

    /// The response, as soon as its head has arrived. That of a server is an ``TernEngine/HTTPURLResponse``.
    public var response: (any URLResponse)? { httpResponse?.shown }

    /// Optional as in URLSession; it is never nil.
    public var originalRequest: URLRequest? { firstRequest }

    /// 0.5 until it is set. Kept, and without effect: tasks have no priorities.
    public var priority: Float {
        get { kept.priority }
        set { changeKept { $0.priority = newValue } }
    }

    /// 0.25
    public static var lowPriority: Float { 0.25 }
    /// 0.5
    public static var defaultPriority: Float { 0.5 }
    /// 0.75
    public static var highPriority: Float { 0.75 }

    /// Kept, and without effect, as in URLSession on Linux: a task begins with `resume()`.
    public var earliestBeginDate: Date? {
        get { kept.earliestBeginDate }
        set { changeKept { $0.earliestBeginDate = newValue } }
    }

    /// Kept, and without effect. `NSURLSessionTransferSizeUnknown` until it is set.
    public var countOfBytesClientExpectsToSend: Int64 {
        get { kept.countToSend }
        set { changeKept { $0.countToSend = newValue } }
    }

    /// The same for the response.
    public var countOfBytesClientExpectsToReceive: Int64 {
        get { kept.countToReceive }
        set { changeKept { $0.countToReceive = newValue } }
    }

    /// Kept, and without effect: bytes are always delivered as they arrive.
    public var prefersIncrementalDelivery: Bool {
        get { kept.prefersIncrementalDelivery }
        set { changeKept { $0.prefersIncrementalDelivery = newValue } }
    }

    private var kept: TaskParts.Kept { parts?.kept ?? TaskParts.Kept() }

    private func changeKept(_ change: (inout TaskParts.Kept) -> Void) {
        parts?.changeKept(change)
    }

    /// A delegate of this task alone, which is called in place of the session's; that one is called for what this one does
    /// not implement. Set it before the task starts. Nil, and
    /// without effect, for a task of a session that was not made with URLSession's initialisers.
    public var delegate: (any URLSessionTaskDelegate)? {
        get { parts?.delegate }
        set { parts?.delegate = newValue }
    }

    /// The bytes that are sent and received. Canceling it cancels the task; pausing it suspends the task.
    public var progress: Progress {
        if let parts { return parts.progress(of: self) }
        return Progress(totalUnitCount: -1)
    }
}

/// A number of bytes that is not known.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLSessionTransferSizeUnknown: Int64 = -1
