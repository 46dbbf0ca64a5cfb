// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine
import TernLock

// Called by the engine for tasks that were created on the session itself. They belong to no request, or to one that has
// adopted them and whose delegate then receives each event whole.
extension SessionDelegate: TernEngine.SessionDelegate, SessionDownloadDelegate, StreamTaskDelegate {
    /// Adds a task that belongs to no request.
    public func session(_ session: Session, didCreate task: SessionTask) {
        strays.add(task)
        if isSubclass { urlSession(session, didCreateTask: task) }
    }

    /// Asks the closure or the subclass on the callback queue; without either, the task's delegate is asked.
    public func session(_ session: Session, didReceive challenge: ServerTrustChallenge, _ question: ServerTrustQuestion)
    {
        guard isSubclass || closures.answersForSession,
            let callbacks = attachment.withLock({ $0.callbacks })
        else { return question.answer(.performDefaultHandling) }
        callbacks.post(
            CallbackBlock { [self] in
                urlSession(session, didReceive: Challenge(challenge)) { question.answer($0, $1) }
            })
    }

    /// The session has ended.
    public func sessionDidBecomeInvalid(_ session: Session) {
        guard isOverridden, let callbacks = attachment.withLock({ $0.callbacks }) else { return }
        callbacks.post(CallbackBlock { [self] in urlSession(session, didBecomeInvalidWithError: nil) })
    }

    /// Whether a closure or a subclass answers server trust challenges.
    public var answersServerTrustChallenges: Bool {
        isSubclass || closures.answersServerTrustChallenges
    }

    /// Passes the event on to the closures and the methods of a subclass; without either, a question gets its usual
    /// answer.
    public func handle(_ event: TaskEvent, of task: SessionTask) {
        if case .completed = event { strays.remove(task) }
        if let adopter = adopter(of: task) { return adopter.handle(event, of: task) }
        if case .willRetry(_, let question) = event, !answersRetries { return question.answer(.retry) }
        if let event = HubTaskEvent(event), relay(.task(event, task)) { return }
        NoOpTaskDelegate.shared.handle(event, of: task)
    }

    /// Passes the bytes on to the closures and the methods of a subclass.
    public func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        if let adopter = adopter(of: task) { return adopter.task(task, didReceive: bytes) }
        if isOverridden { _ = relay(.body(Data(copying: bytes), task)) }
    }

    /// See ``handle(_:of:)``.
    public func task(_ task: SessionTask, didCompleteWith error: SessionError?) { handle(.completed(error), of: task) }

    /// Passes the event on to the closures and the methods of a subclass. A complete file is removed afterwards.
    public func handle(_ event: DownloadEvent, of download: SessionDownloadTask) {
        var owned: SessionTask = download
        if case .replaced(let task) = event {
            if strays.remove(task) { strays.add(download) }
            owned = task
        }
        if let adopter = adopter(of: owned) { return adopter.handle(event, of: download) }
        guard relay(.download(event, download)) else { return }
        if case .finished = event { download.keepFile() }
    }

    /// See ``handle(_:of:)``.
    public func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {
        handle(.finished(location), of: task)
    }

    /// Calls the closure.
    public func streamTaskDidCloseRead(_ task: StreamTask) { _ = relay(.stream(.readClosed, task)) }

    /// Calls the closure.
    public func streamTaskDidCloseWrite(_ task: StreamTask) { _ = relay(.stream(.writeClosed, task)) }

    /// The delegate that receives the events of a task in place of the hub.
    private func adopter(of task: SessionTask) -> (any SessionDownloadDelegate)? {
        registry[task]?.delegate.receiver
    }

    /// Passes an event to the callback queue; returns false if no closure receives it. Waiting bytes suspend the task.
    private func relay(_ event: HubEvent) -> Bool {
        let (callbacks, session) = attachment.withLock { ($0.callbacks, $0.session) }
        guard isOverridden, let callbacks, let session else { return false }
        let held = if case .body(_, let task) = event { task } else { SessionTask?.none }
        held?.hold()
        callbacks.post(
            CallbackBlock { [self] in
                deliver(event, in: session)
                if let file = event.file { try? FileManager.default.removeItem(at: file) }
                held?.release()
            })
        return true
    }
}

// Each event calls its method, on the callback queue.
extension SessionDelegate: TaskHub {
    var isConcerned: Bool { interception.hasRetrier || isOverridden }

    var answersRetries: Bool {
        self[\.retry] != nil || isSubclass && attachment.withLock { $0.answersRetries }
    }

    var newStream: (@Sendable (Session, SessionTask) -> InputStream?)? { self[\.bodyStream] }

    func deliverCompletion(of task: SessionTask, _ error: (any Error)?) {
        guard let closure = self[\.completion], let session = attachment.withLock({ $0.session }) else { return }
        closure(session, task, error)
    }

    func deliver(_ event: HubEvent, in session: Session) {
        switch event {
        case .task(let event, let task): deliver(event, of: task, in: session)
        case .body(let data, let task):
            if let task = task as? SessionDataTask { urlSession(session, dataTask: task, didReceive: data) }
        case .download(let event, let task): deliver(event, of: task, in: session)
        case .stream(.readClosed, let task): urlSession(session, readClosedFor: task)
        case .stream(.writeClosed, let task): urlSession(session, writeClosedFor: task)
        }
    }

    private func deliver(_ event: HubTaskEvent, of task: SessionTask, in session: Session) {
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

extension BodyAnswer {
    fileprivate static func stream(_ stream: InputStream?) -> BodyAnswer {
        guard let stream else { return .unavailable }
        // The closure hands the stream over.
        nonisolated(unsafe) let received = stream
        return unsafe .content(.inputStream(received))
    }
}

extension ServerTrustQuestion {
    /// Only a server trust credential accepts a server; default handling keeps the verdict of the policies.
    fileprivate func answer(_ disposition: ChallengeDisposition, _ credential: Credential?) {
        switch disposition {
        case .useCredential: answer(credential?.isServerTrust == true ? .accept : .performDefaultHandling)
        case .performDefaultHandling: answer(.performDefaultHandling)
        case .cancelAuthenticationChallenge, .rejectProtectionSpace: answer(.refuse)
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
    struct Attachment {
        weak var session: Session?
        var callbacks: CallbackQueue?
        /// Makes the session evaluate servers again.
        var adoptPolicies: (@Sendable () -> Void)?
        /// Whether a subclass may answer questions about retries: there are none among those of URLSession's delegates.
        var answersRetries = true
    }

    func context(_ session: Session, _ queue: DispatchQueue) -> RequestContext {
        RequestContext(
            session: session, hub: self, interception: interception, tasks: registry,
            callbacks: CallbackQueue(.queue(queue), after: session.eventLoops))
    }

    func attach(_ session: Session, _ callbacks: CallbackQueue, adoptPolicies: @escaping @Sendable () -> Void) {
        attachment.withLock {
            $0 = Attachment(session: session, callbacks: callbacks, adoptPolicies: adoptPolicies)
        }
    }

    /// Receives the events of the tasks of a session that no manager has. `run` runs a block later; blocks run one after
    /// another in the order of the events of a task, however `run` does it.
    package func attach(
        to session: Session, _ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        let callbacks = CallbackQueue(.runner(run), after: session.eventLoops)
        attachment.withLock { $0 = Attachment(session: session, callbacks: callbacks, answersRetries: false) }
    }

    /// Runs a block on the queue of the events, after those that have arrived.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        attachment.withLock { $0.callbacks }?.post(CallbackBlock(body))
    }

    /// The tasks that were created on the session itself and have not ended, by their creation.
    package var unownedTasks: [SessionTask] { strays.all }

    subscript<Closure: Sendable>(_ path: WritableKeyPath<ClosureTable.Closures, Closure?>) -> Closure? {
        get { closures[path] }
        set {
            guard let change = closures.set(path, newValue) else { return }
            if change.isNew { for request in registry.all { request.delegate.relays() } }
            // A server that was accepted without this closure must be passed to it before the next request.
            if change.changesTrust { attachment.withLock { $0.adoptPolicies }?() }
        }
    }

    /// Whether a closure or an overridden method receives the events of tasks.
    var isOverridden: Bool { !closures.isEmpty || isSubclass }

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
