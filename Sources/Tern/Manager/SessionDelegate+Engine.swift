// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine
import TernFoundation
import TernLock

// Called by the engine for tasks that were created on the session itself. They belong to no request, or to one that has
// adopted them and whose delegate then receives each event whole.
extension SessionDelegate: TernEngine.SessionDelegate, SessionDownloadDelegate, StreamTaskDelegate {
    /// Adds a task that belongs to no request.
    public func session(_ session: Session, didCreate task: SessionTask) {
        unownedTasks.add(task)
        if isSubclass { urlSession(session, didCreateTask: task) }
    }

    /// Asks the closure or the subclass on the callback queue; without either, the task's delegate is asked.
    public func session(_ session: Session, didReceive challenge: ServerTrustChallenge, _ question: ServerTrustQuestion)
    {
        let isAsked =
            (isSubclass || closures.answersForSession)
            && events.perform { [self] in
                urlSession(session, didReceive: Challenge(challenge)) { question.answer($0, $1) }
            }
        if !isAsked { question.answer(.performDefaultHandling) }
    }

    /// The session has ended.
    public func sessionDidBecomeInvalid(_ session: Session) {
        guard isOverridden else { return }
        events.perform { [self] in urlSession(session, didBecomeInvalidWithError: nil) }
    }

    /// Whether a closure or a subclass answers server trust challenges.
    public var answersServerTrustChallenges: Bool {
        isSubclass || closures.answersServerTrustChallenges
    }

    /// Passes the event on to the closures and the methods of a subclass; without either, a question gets its usual
    /// answer.
    public func handle(_ event: TaskEvent, of task: SessionTask) {
        guard let adopter = adopter(of: task) else { return forward(event, of: task) }
        if case .completed = event { unownedTasks.remove(task) }
        adopter.handle(event, of: task)
    }

    /// Passes the bytes on to the closures and the methods of a subclass.
    public func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        guard let adopter = adopter(of: task) else { return forward(bytes, of: task) }
        adopter.task(task, didReceive: bytes)
    }

    /// See ``handle(_:of:)``.
    public func task(_ task: SessionTask, didCompleteWith error: SessionError?) { handle(.completed(error), of: task) }

    /// Passes the event on to the closures and the methods of a subclass. A complete file is removed afterwards.
    public func handle(_ event: DownloadEvent, of download: SessionDownloadTask) {
        let owned = if case .replaced(let task) = event { task } else { download as SessionTask }
        guard let adopter = adopter(of: owned) else { return forward(event, of: download) }
        adopter.handle(event, of: download)
    }

    /// See ``handle(_:of:)``.
    public func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {
        handle(.finished(location), of: task)
    }

    /// Calls the closure.
    public func streamTaskDidCloseRead(_ task: StreamTask) { forward(.readClosed, of: task) }

    /// Calls the closure.
    public func streamTaskDidCloseWrite(_ task: StreamTask) { forward(.writeClosed, of: task) }

    /// The delegate that receives the events of a task in place of the hub.
    private func adopter(of task: SessionTask) -> (any SessionDownloadDelegate)? {
        registry[task]?.delegate.receiver
    }
}

// Each event calls its method, on the callback queue.
extension SessionDelegate: TaskHub {
    var isConcerned: Bool { interception.hasRetrier || isOverridden }

    package var isOverridden: Bool { !closures.isEmpty || isSubclass }

    package var answersRetries: Bool { self[\.retry] != nil || isSubclass }

    var newStream: (@Sendable (Session, SessionTask) -> InputStream?)? { self[\.bodyStream] }

    func deliverCompletion(of task: SessionTask, _ error: (any Error)?) {
        guard let closure = self[\.completion], let session = events.session else { return }
        closure(session, task, error)
    }

    package func deliver(_ event: QueuedEvent, in session: Session) {
        switch event {
        case .task(let event, let task): deliver(event, of: task, in: session)
        case .body(let data, let task):
            if let task = task as? SessionDataTask { urlSession(session, dataTask: task, didReceive: data) }
        case .download(let event, let task): deliver(event, of: task, in: session)
        case .stream(.readClosed, let task): urlSession(session, readClosedFor: task)
        case .stream(.writeClosed, let task): urlSession(session, writeClosedFor: task)
        case .call(let body): body(session)
        }
    }

    private func deliver(_ event: TaskEvent, of task: SessionTask, in session: Session) {
        switch event {
        case .serverTrust(let challenge, let question):
            urlSession(session, task: task, didReceive: Challenge(challenge)) { question.answer($0, $1) }
        case .waitingForConnectivity: urlSession(session, taskIsWaitingForConnectivity: task)
        case .willRetry(let retry, let question):
            urlSession(session, task: task, willRetry: retry) { question.answer($0) }
        case .sentBodyData(let count, let total, let expected):
            urlSession(
                session, task: task, didSendBodyData: count, totalBytesSent: total, totalBytesExpectedToSend: expected)
        case .redirect(let response, let request, let question):
            urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: request) {
                question.answer($0.map { .follow($0) } ?? .deliver)
            }
        case .challenge(let challenge, let question):
            urlSession(session, task: task, didReceive: Challenge(challenge)) { question.answer($0, $1) }
        case .newBody(let question):
            urlSession(session, task: task, needNewBodyStream: { question.answer(.stream($0)) })
        case .response(let response, let question):
            guard let task = task as? SessionDataTask else { return question.answer(.allow) }
            urlSession(session, dataTask: task, didReceive: response) { question.answer($0) }
        case .willCache(let question):
            guard let task = task as? SessionDataTask else { return question.answer(question.proposal) }
            urlSession(session, dataTask: task, willCacheResponse: question.proposal) { question.answer($0) }
        case .completed(let error):
            if let metrics = task.metrics { urlSession(session, task: task, didFinishCollecting: metrics) }
            urlSession(session, task: task, didCompleteWithError: error)
        case .started, .waiting, .waited, .hopBegan, .prepared, .head, .hopOver, .attemptBegan, .connecting,
            .connectionFailed, .willSend, .informational, .discarded, .responseOver, .webSocket, .attemptOver,
            .answered,
            .retrying:
            break
        }
    }

    private func deliver(_ event: DownloadEvent, of download: SessionDownloadTask, in session: Session) {
        switch event {
        case .replaced(let task):
            if let task = task as? SessionDataTask { urlSession(session, dataTask: task, didBecome: download) }
            registry.remove(task)
        case .resumed(let offset, let expected):
            urlSession(session, downloadTask: download, didResumeAtOffset: offset, expectedTotalBytes: expected)
        case .wrote(let count, let total, let expected):
            urlSession(
                session, downloadTask: download, didWriteData: count, totalBytesWritten: total,
                totalBytesExpectedToWrite: expected)
        case .finished(let location):
            urlSession(session, downloadTask: download, didFinishDownloadingTo: location)
        }
    }
}

// The default handling of events without a closure.
extension SessionDelegate {
    /// Adds bytes to the body that the task's request collects.
    package func collect(_ data: Data, of task: SessionTask) {
        self[task]?.delegate.receive(data.span, of: task)
    }

    /// Answers with the closure or credential of the task's request; without a request, asks the session's closures.
    func answerByDefault(
        _ challenge: Challenge, of task: SessionTask, in session: Session,
        _ completionHandler: @escaping ChallengeCompletion
    ) {
        guard let delegate = self[task]?.delegate else {
            // The session's closures have evaluated the server before.
            let isAboutTrust = challenge.protectionSpace.authenticationMethod == .serverTrust
            if isAboutTrust { return completionHandler(.performDefaultHandling, nil) }
            return urlSession(session, didReceive: challenge, completionHandler: completionHandler)
        }
        guard let (disposition, credential) = delegate.taskDidReceiveChallenge?(session, task, challenge) else {
            return delegate.answerByDefault(challenge, completionHandler)
        }
        completionHandler(disposition, credential)
    }

    /// Answers with the closure or the handler of the task's request; without either, the proposed response is stored.
    func cacheByDefault(
        _ proposal: CachedURLResponse, of task: SessionDataTask, in session: Session,
        _ completionHandler: @escaping CacheCompletion
    ) {
        guard let delegate = self[task]?.delegate else { return completionHandler(proposal) }
        if let closure = delegate.override(\.willCache) { return completionHandler(closure(session, task, proposal)) }
        guard let handler = delegate.override(\.cachedResponseHandler) else { return completionHandler(proposal) }
        handler.dataTask(task, willCacheResponse: proposal, completion: completionHandler)
    }

    /// Moves a complete file to the destination of the task's request.
    func deliver(_ location: URL, of task: SessionDownloadTask) {
        guard let delegate = self[task]?.delegate else { return }
        delegate.take(.finished(location), of: task)
        delegate.deliverBody()
    }

    /// Updates the upload progress of the task's request.
    package func report(sent count: Int64, total: Int64, expected: Int64, of task: SessionTask) {
        self[task]?.delegate.sent(count, total: total, expected: expected, of: task)
    }

    /// Updates the progress of the task's request with bytes that were written to its file.
    package func report(written count: Int64, total: Int64, expected: Int64, of task: SessionDownloadTask) {
        self[task]?.delegate.take(.wrote(count, total: total, expected: expected), of: task)
    }

    /// Updates the progress of the task's request with the offset at which the download resumes.
    package func report(resumedAt offset: Int64, total: Int64, of task: SessionDownloadTask) {
        self[task]?.delegate.take(.resumed(at: offset, expected: total), of: task)
    }
}

// The manager's requests, and the information about the user's closures that their tasks' delegates need.
extension SessionDelegate {
    func context(_ session: Session, _ queue: DispatchQueue) -> RequestContext {
        RequestContext(
            session: session, hub: self, interception: interception, tasks: registry,
            callbacks: CallbackQueue(on: queue, after: session.eventLoops))
    }

    func attach(_ session: Session, _ callbacks: CallbackQueue, adoptPolicies: @escaping @Sendable () -> Void) {
        events.attach(to: session, callbacks)
        self.adoptPolicies.replace(adoptPolicies)
    }

    /// The tasks that were created on the session itself and have not ended.
    package var unownedTasks: UnownedTasks { events.tasks }

    subscript<Closure: Sendable>(_ path: WritableKeyPath<ClosureTable.Closures, Closure?>) -> Closure? {
        get { closures[path] }
        set {
            guard let change = closures.set(path, newValue) else { return }
            if change.isNew { for request in registry.all { request.delegate.relays() } }
            // A server that was accepted without this closure must be passed to it before the next request.
            if change.changesTrust { adoptPolicies.withLock { $0 }?() }
        }
    }

    /// Whether methods may be overridden.
    var isSubclass: Bool { type(of: self) != SessionDelegate.self }

    /// Adds a request with its task: retained if the task is to be started.
    func add(_ request: Request, for task: SessionTask, starting: Bool) {
        if isOverridden { request.delegate.relays() }
        if !starting { return registry.note(request, for: task) }
        registry[task] = request
        registry.sendSoon()
    }

    /// Asks the retrier about a request that an adapter left without a task. Returns false without a retrier.
    func askAboutAdaptation(of request: Request) -> Bool {
        if isOverridden { request.delegate.relays() }
        return interception.askAboutAdaptation(of: request)
    }

    /// The requests that have not ended.
    var requests: [Request] { registry.all }

    /// Ends all requests when the manager is released; those that wait for a retry keep their error.
    func abandonRequests() {
        for request in requests { request.abandon() }
        // Objects that they retain may retain this hub.
        (interception.adapter, interception.retrier) = (nil, nil)
    }
}
