// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import Tern
public import TernEngine

/// AFNetworking's manager of a session: creates tasks, serializes their responses, and calls a handler, blocks and
/// observers of notifications.
///
/// Tasks are not started: `resume()` starts them. Events are delivered one after another on one queue; bodies
/// are serialized concurrently. A view of ``Tern/SessionManager``: releasing it ends its tasks.
///
/// Thread-safe. Sendable because its state is behind locks; a subclass must keep that.
open class AFURLSessionManager: @unchecked Sendable {
    /// Receives the result of a task: the head of the response, the serialized body, and the error.
    public typealias CompletionHandler = @Sendable (HTTPURLResponse?, Any?, (any Error)?) -> Void
    /// Receives the progress of a task, on the manager's queue.
    public typealias ProgressHandler = @Sendable (Progress) -> Void
    /// Receives the result of a download: the head of the response, the destination of the file, and the error.
    public typealias DownloadCompletionHandler = @Sendable (HTTPURLResponse?, URL?, (any Error)?) -> Void
    /// Returns the destination of a complete file. A file that exists there stays.
    public typealias Destination = @Sendable (URL, HTTPURLResponse) -> URL

    let manager: SessionManager
    let blocks = AFBlocks()
    let registry: AFTaskRegistry

    /// Creates a manager with a session of its own; nil uses the default configuration.
    @_disfavoredOverload
    public init(sessionConfiguration configuration: SessionConfiguration? = nil) {
        manager = SessionManager(configuration: configuration ?? .default)
        registry = AFTaskRegistry(queue: manager.queue)
        begin()
    }

    /// Creates a manager of an existing session, which ends with the manager. Nil unless `delegate` is the session's
    /// delegate.
    ///
    /// The manager adopts tasks that were created on the session itself and have not ended. They have no handlers, but
    /// progress, and the rest of their bodies is collected, serialized and posted like any other.
    public init?(session: Session, delegate: Tern.SessionDelegate) {
        guard let manager = SessionManager(session: session, delegate: delegate) else { return nil }
        self.manager = manager
        registry = AFTaskRegistry(queue: manager.queue)
        begin()
        for task in manager.unownedTasks { adopt(task) }
    }

    private func begin() {
        manager.startRequestsImmediately = false
        AFStateNotifications.serve(registry)
        manager.delegate.sessionDidBecomeInvalidWithError = { [blocks] session, error in
            blocks[\.sessionInvalid]?(session, error)
            NotificationCenter.default.post(name: .AFURLSessionDidInvalidate, object: session)
        }
    }

    private func adopt(_ task: SessionTask) {
        switch task {
        case let task as SessionUploadTask: registry.add(manager.adopt(task), nil, nil, nil)
        case let task as SessionDataTask: registry.add(manager.adopt(task), nil, nil)
        case let task as SessionDownloadTask: registry.add(manager.adopt(task), nil, AFFileMover(blocks: blocks), nil)
        default: break
        }
    }

    /// The session that sends the tasks.
    open var session: Session { manager.session }

    /// The queue of every call that does not use ``completionQueue``.
    open var queue: DispatchQueue { manager.queue }

    /// The serializer of bodies; by default of JSON.
    open var responseSerializer: any AFURLResponseSerialization {
        get { registry.settings.serializer }
        set { registry.settings.serializer = newValue }
    }

    /// The queue of completion handlers; nil is ``queue``.
    open var completionQueue: DispatchQueue? {
        get { registry.settings.completionQueue }
        set { registry.settings.completionQueue = newValue }
    }

    /// The group of completion handlers; nil is a private group.
    open var completionGroup: DispatchGroup? {
        get { registry.settings.completionGroup }
        set { registry.settings.completionGroup = newValue }
    }

    /// The trust policy, from the next connection on.
    open var securityPolicy: AFSecurityPolicy {
        get { registry.settings.securityPolicy }
        set {
            registry.settings.securityPolicy = newValue
            manager.serverTrustPolicyManager = AFPolicies(newValue)
        }
    }

    /// The reachability manager.
    open var reachabilityManager: AFNetworkReachabilityManager {
        get { registry.settings.reachabilityManager }
        set { registry.settings.reachabilityManager = newValue }
    }

    /// The tasks that have not ended, whether they were started or not.
    open var tasks: [SessionTask] { registry.tasks }

    /// The data tasks among them.
    open var dataTasks: [SessionDataTask] { registry.dataTasks }

    /// The upload tasks among them.
    open var uploadTasks: [SessionUploadTask] { registry.uploadTasks }

    /// The download tasks among them.
    open var downloadTasks: [SessionDownloadTask] { registry.downloadTasks }

    /// Ends the session when its tasks have ended; they are cancelled, or awaited.
    open func invalidateSessionCancelingTasks(_ cancelPendingTasks: Bool) {
        if cancelPendingTasks { session.invalidateAndCancel() } else { session.finishTasksAndInvalidate() }
    }

    // Tasks

    /// Creates a data task.
    @preconcurrency
    open func dataTask(
        with request: URLRequest, completionHandler: CompletionHandler? = nil
    ) -> SessionDataTask {
        dataTask(with: request, uploadProgress: nil, downloadProgress: nil, completionHandler: completionHandler)
    }

    /// Creates a data task with progress.
    @preconcurrency
    open func dataTask(
        with request: URLRequest, uploadProgress: ProgressHandler?, downloadProgress: ProgressHandler?,
        completionHandler: CompletionHandler?
    ) -> SessionDataTask {
        if let uploadProgress {
            return registry.add(manager.upload(streamed: request), uploadProgress, downloadProgress, completionHandler)
                ?? unmade(request)
        }
        return registry.add(manager.request(request), downloadProgress, completionHandler) ?? unmade(request)
    }

    /// Creates a task that sends a file, read as it is sent.
    @preconcurrency
    open func uploadTask(
        with request: URLRequest, fromFile fileURL: URL, progress: ProgressHandler? = nil,
        completionHandler: CompletionHandler? = nil
    ) -> SessionUploadTask {
        upload(manager.upload(fileURL, with: request), request, progress, completionHandler)
    }

    /// Creates a task that sends data; nil sends none.
    @preconcurrency
    open func uploadTask(
        with request: URLRequest, from bodyData: Data?, progress: ProgressHandler? = nil,
        completionHandler: CompletionHandler? = nil
    ) -> SessionUploadTask {
        upload(manager.upload(bodyData ?? Data(), with: request), request, progress, completionHandler)
    }

    /// Creates a task that sends the request's own content, such as a stream.
    @preconcurrency
    open func uploadTask(
        withStreamedRequest request: URLRequest, progress: ProgressHandler? = nil,
        completionHandler: CompletionHandler? = nil
    ) -> SessionUploadTask {
        upload(manager.upload(streamed: request), request, progress, completionHandler)
    }

    private func upload(
        _ upload: UploadRequest, _ request: URLRequest, _ progress: ProgressHandler?,
        _ completionHandler: CompletionHandler?
    ) -> SessionUploadTask {
        registry.add(upload, progress, nil, completionHandler)
            ?? session.uploadTask(with: request, from: .data(Data())) { _ in }
    }

    /// Creates a task whose response becomes a file, which is moved to the URL that `destination` returns; without one
    /// it stays in place, and the handler must remove it. A file that cannot be moved is reported by a notification,
    /// and is not a failure: it stays in place.
    ///
    /// The serializer validates status and type, but gets no body: a "404" page is an error and a file.
    @preconcurrency
    open func downloadTask(
        with request: URLRequest, progress: ProgressHandler? = nil, destination: Destination? = nil,
        completionHandler: DownloadCompletionHandler? = nil
    ) -> SessionDownloadTask {
        download(manager.download(request), progress, destination, completionHandler)
            ?? session.downloadTask(with: request)
    }

    /// Creates a task that resumes an interrupted or cancelled download, with ``TernEngine/SessionError/resumeData`` or
    /// the result of ``TernEngine/SessionDownloadTask/cancel(byProducingResumeData:)``. Starts again if the file has
    /// changed since.
    ///
    /// - Throws: the error of the data.
    @preconcurrency
    open func downloadTask(
        withResumeData resumeData: Data, progress: ProgressHandler? = nil, destination: Destination? = nil,
        completionHandler: DownloadCompletionHandler? = nil
    ) throws -> SessionDownloadTask {
        let request = manager.download(resumingWith: resumeData)
        if let task = download(request, progress, destination, completionHandler) { return task }
        throw request.delegate.error ?? SessionError(.cancelled, phase: .request)
    }

    /// Nil if the request has no task.
    private func download(
        _ request: DownloadRequest, _ progress: ProgressHandler?, _ destination: Destination?,
        _ completionHandler: DownloadCompletionHandler?
    ) -> SessionDownloadTask? {
        let mover = AFFileMover(blocks: blocks, destination: destination)
        guard let completionHandler else { return registry.add(request, progress, mover, nil) }
        return registry.add(request, progress, mover) { completionHandler($0, $1 as? URL, $2) }
    }

    /// For the compiler: without an adapter there is always a task, and of this kind.
    private func unmade(_ request: URLRequest) -> SessionDataTask { session.dataTask(with: request) { _ in } }

    /// The upload progress of a task; nil if it is not a task of this manager that sends content, or has ended.
    open func uploadProgress(for task: SessionTask) -> Progress? { registry.uploadProgress(of: task) }

    /// The download progress of a task; nil if it is not a task of this manager, or has ended.
    open func downloadProgress(for task: SessionTask) -> Progress? { registry.downloadProgress(of: task) }
}

/// Applies one policy to every host.
private final class AFPolicies: ServerTrustPolicyManager, @unchecked Sendable {
    private let policy: ServerTrustPolicy

    init(_ policy: AFSecurityPolicy) {
        self.policy = policy.serverTrustPolicy
        super.init(policies: [:], allHostsMustBeEvaluated: true)
    }

    override func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? { policy }
}
