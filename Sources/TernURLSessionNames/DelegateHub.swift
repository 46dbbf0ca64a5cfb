// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernFoundation
import TernLock

/// Calls the delegates of one's own, and the completion handlers, of a session that was made with URLSession's initialisers:
/// on its operation queue, one after another, in the order of the events of a task. It retains the session's delegate
/// until the session is invalid.
///
/// Sendable because its state is behind locks, and the copied configuration is never changed.
final class DelegateHub: QueuedDelegate, @unchecked Sendable {
    /// A delegate, as each of its kinds. Found once: a cast costs as much as a small read.
    struct Listener: Sendable {
        let session: (any URLSessionDelegate)?
        let task: (any URLSessionTaskDelegate)?
        let data: (any URLSessionDataDelegate)?
        let download: (any URLSessionDownloadDelegate)?
        let stream: (any URLSessionStreamDelegate)?
        let webSocket: (any URLSessionWebSocketDelegate)?

        init(_ delegate: (any URLSessionDelegate)?) {
            session = delegate
            task = delegate as? any URLSessionTaskDelegate
            data = delegate as? any URLSessionDataDelegate
            download = delegate as? any URLSessionDownloadDelegate
            stream = delegate as? any URLSessionStreamDelegate
            webSocket = delegate as? any URLSessionWebSocketDelegate
        }
    }

    let events = DelegateQueue()
    let queue: OperationQueue
    private let current: Lock<Listener>
    private let description = Lock<String?>(nil)
    /// Copied when it is asked for, and never changed.
    private let original: URLSessionConfiguration?

    var sessionDescription: String? {
        get { description.withLock { $0 } }
        set { description.withLock { $0 = newValue } }
    }

    var listener: Listener { current.withLock { $0 } }

    var configuration: URLSessionConfiguration? { original.map(URLSessionConfiguration.init(copying:)) }

    init(
        _ delegate: (any URLSessionDelegate)?, _ queue: OperationQueue?,
        _ configuration: URLSessionConfiguration? = nil
    ) {
        original = configuration.map(URLSessionConfiguration.init(copying:))
        let serial = queue ?? OperationQueue()
        if queue == nil { serial.maxConcurrentOperationCount = 1 }
        self.queue = serial
        current = Lock(Listener(delegate))
    }

    /// Receives the events of this session from now on.
    func attach(to session: Session) {
        let callbacks = CallbackQueue(after: session.eventLoops) { [queue] in queue.addOperation(QueuedBlock($0)) }
        events.attach(to: session, callbacks)
    }

    /// The delegate that a task has of its own, and after it the session's.
    func listener<Delegate>(of task: SessionTask, _ kind: KeyPath<Listener, Delegate?>) -> Delegate? {
        task.parts?.listener?[keyPath: kind] ?? listener[keyPath: kind]
    }

    private func taskListener(of task: SessionTask) -> (any URLSessionTaskDelegate)? {
        task.parts?.listener?.task ?? listener.task
    }

    /// Who is told of the content. A completion handler gets the content itself: then only the task's own delegate is told.
    private func contentListener<Delegate>(of task: SessionTask, _ kind: KeyPath<Listener, Delegate?>) -> Delegate? {
        task.parts?.hasHandler == true ? task.parts?.listener?[keyPath: kind] : listener(of: task, kind)
    }

    /// Who is asked about the response; nil for a task with a completion handler.
    private func dataListener(of task: SessionTask) -> (any URLSessionDataDelegate)? {
        task.parts?.hasHandler == true ? nil : listener(of: task, \.data)
    }
}

// On a reactor's thread, or on the one that creates a task
extension DelegateHub {
    func session(_ session: Session, didCreate task: SessionTask) {
        events.tasks.add(task)
        task.attachment = TaskParts(keeping: session)
        listener.task?.urlSession(session, didCreateTask: task)
    }

    var answersServerTrustChallenges: Bool { true }

    var answersRetries: Bool { false }

    var isOverridden: Bool { true }

    func session(_ session: Session, didReceive challenge: ServerTrustChallenge, _ question: ServerTrustQuestion) {
        let isAsked = events.perform { [self] in
            guard let delegate = listener.session else { return question.answer(.performDefaultHandling) }
            delegate.urlSession(session, didReceive: Challenge(challenge)) { question.answer($0, $1) }
        }
        if !isAsked { question.answer(.performDefaultHandling) }
    }

    func sessionDidBecomeInvalid(_ session: Session) {
        events.perform { [self] in
            listener.session?.urlSession(session, didBecomeInvalidWithError: nil)
            var released = Listener(nil)
            current.withLock { swap(&$0, &released) }
        }
    }
}

// On the operation queue: each event calls its method.
extension DelegateHub {
    func deliver(_ event: QueuedEvent, in session: Session) {
        switch event {
        case .task(let event, let task): deliver(event, of: task, in: session)
        case .body(let data, let task): deliver(data, of: task, in: session)
        case .download(let event, let task): deliver(event, of: task, in: session)
        case .stream(.readClosed, let task):
            listener(of: task, \.stream)?.urlSession(session, readClosedFor: task)
        case .stream(.writeClosed, let task):
            listener(of: task, \.stream)?.urlSession(session, writeClosedFor: task)
        case .call(let body): body(session)
        }
    }

    private func deliver(_ event: TaskEvent, of task: SessionTask, in session: Session) {
        let delegate = taskListener(of: task)
        switch event {
        case .waitingForConnectivity: delegate?.urlSession(session, taskIsWaitingForConnectivity: task)
        case .serverTrust(let challenge, let question):
            guard let delegate else { return question.answer(.performDefaultHandling) }
            delegate.urlSession(session, task: task, didReceive: Challenge(challenge)) { question.answer($0, $1) }
        case .challenge(let challenge, let question):
            guard let delegate else { return question.answer(.performDefaultHandling) }
            delegate.urlSession(session, task: task, didReceive: Challenge(challenge)) { question.answer($0, $1) }
        case .redirect(let response, let request, let question):
            guard let delegate else { return question.answer(.follow(request)) }
            delegate.urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: request) {
                question.answer($0.map { .follow($0) } ?? .deliver)
            }
        case .newBody(let question):
            guard let delegate else { return question.answer(.unavailable) }
            delegate.urlSession(session, task: task, needNewBodyStream: { question.answer(.stream($0)) })
        case .sentBodyData(let count, let total, let expected):
            task.parts?.advance(task)
            delegate?.urlSession(
                session, task: task, didSendBodyData: count, totalBytesSent: total, totalBytesExpectedToSend: expected)
        case .response(let response, let question):
            guard let task = task as? SessionDataTask, let delegate = dataListener(of: task) else {
                return question.answer(.allow)
            }
            delegate.urlSession(session, dataTask: task, didReceive: response.shown) { question.answer($0) }
        case .willCache(let question):
            guard let task = task as? SessionDataTask, let delegate = dataListener(of: task) else {
                return question.answer(question.proposal)
            }
            delegate.urlSession(session, dataTask: task, willCacheResponse: question.proposal) { question.answer($0) }
        case .completed(let error):
            if let metrics = task.metrics { delegate?.urlSession(session, task: task, didFinishCollecting: metrics) }
            complete(task, error, in: session)
        case .willRetry, .started, .waiting, .waited, .hopBegan, .prepared, .head, .hopOver, .attemptBegan, .connecting,
            .connectionFailed, .willSend, .informational, .discarded, .responseOver, .webSocket, .attemptOver,
            .answered,
            .retrying:
            break
        }
    }

    private func complete(_ task: SessionTask, _ error: SessionError?, in session: Session) {
        let parts = task.parts
        parts?.advance(task)
        // The error of a protocol class is the program's own, unless URLSession has a code for it.
        let own = error?.providerError
        let error: (any Error)? = own.map { ($0 as NSError).domain } == NSURLErrorDomain ? error : own ?? error
        if parts?.complete(task, error) != true {
            taskListener(of: task)?.urlSession(session, task: task, didCompleteWithError: error)
        }
        parts?.end()
    }

    private func deliver(_ data: Data, of task: SessionTask, in session: Session) {
        guard let task = task as? SessionDataTask else { return }
        let parts = task.parts
        parts?.advance(task)
        parts?.collect(data, of: task)
        contentListener(of: task, \.data)?.urlSession(session, dataTask: task, didReceive: data)
    }

    private func deliver(_ event: DownloadEvent, of task: SessionDownloadTask, in session: Session) {
        let parts = task.parts
        switch event {
        case .replaced(let replaced):
            guard let replaced = replaced as? SessionDataTask else { return }
            listener(of: replaced, \.data)?.urlSession(session, dataTask: replaced, didBecome: task)
        case .finished(let location):
            if parts?.finish(task, location) == true { return }
            listener(of: task, \.download)?.urlSession(session, downloadTask: task, didFinishDownloadingTo: location)
        case .wrote(let count, let total, let expected):
            parts?.advance(task)
            contentListener(of: task, \.download)?.urlSession(
                session, downloadTask: task, didWriteData: count, totalBytesWritten: total,
                totalBytesExpectedToWrite: expected)
        case .resumed(let offset, let expected):
            contentListener(of: task, \.download)?.urlSession(
                session, downloadTask: task, didResumeAtOffset: offset, expectedTotalBytes: expected)
        }
    }

    /// Asks for the content of a streamed request that came without a stream.
    func askForStream(of task: SessionTask, in session: Session, _ take: @escaping @Sendable (InputStream?) -> Void) {
        guard let delegate = taskListener(of: task) else { return take(nil) }
        delegate.urlSession(session, task: task, needNewBodyStream: take)
    }
}

extension SessionTask {
    /// What URLSession keeps with the task; nil in a session that was not made with URLSession's initialisers.
    var parts: TaskParts? { attachment as? TaskParts }
}

/// A block on the program's queue, which runs even if the program cancels all operations there: the events that wait for
/// it would be lost, and with them all that follow.
final class QueuedBlock: Operation, @unchecked Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    override func main() { body() }

    override func cancel() {}
}

/// What URLSession keeps with a task and Tern does not: a delegate of its own, a completion handler with the body that it
/// gets, and the progress. It retains the session until the task has ended.
final class TaskParts: Sendable {
    typealias DataHandler = @Sendable (Data?, (any URLResponse)?, (any Error)?) -> Void
    typealias FileHandler = @Sendable (URL?, (any URLResponse)?, (any Error)?) -> Void

    /// What URLSession's tasks have and Tern does not use.
    struct Kept {
        var priority = SessionTask.defaultPriority
        var earliestBeginDate: Date?
        var countToSend = NSURLSessionTransferSizeUnknown
        var countToReceive = NSURLSessionTransferSizeUnknown
        var prefersIncrementalDelivery = true
    }

    private enum Handler {
        case data(DataHandler)
        case file(FileHandler)
    }

    private struct State {
        var session: Session?
        var delegate: (any URLSessionTaskDelegate)?
        var listener: DelegateHub.Listener?
        var handler: Handler?
        var body: BodyAccumulator
        var progress: Progress?
        var kept = Kept()
        var hasEnded = false

        /// Returns what was there, to be released without the lock.
        mutating func setDelegate(_ other: (any URLSessionTaskDelegate)?) -> (any URLSessionTaskDelegate)? {
            if hasEnded { return nil }
            defer { (delegate, listener) = (other, other.map { DelegateHub.Listener($0) }) }
            return delegate
        }
    }

    private let state: Lock<State>

    init(keeping session: Session) {
        state = Lock(State(session: session, body: BodyAccumulator(session.settings.bodyLimits)))
    }

    /// The task's own delegate, retained until the task has ended; set after that, it has no effect.
    var delegate: (any URLSessionTaskDelegate)? {
        get { state.withLock { $0.delegate } }
        set {
            let replaced = state.withLock { $0.setDelegate(newValue) }
            withExtendedLifetime(replaced) {}
        }
    }

    var kept: Kept { state.withLock { $0.kept } }

    func changeKept(_ change: (inout Kept) -> Void) { state.withLock { change(&$0.kept) } }

    var listener: DelegateHub.Listener? { state.withLock { $0.listener } }

    var hasHandler: Bool { state.withLock { $0.handler != nil } }

    func call(_ handler: @escaping DataHandler) { state.withLock { $0.handler = .data(handler) } }

    func call(_ handler: @escaping FileHandler) { state.withLock { $0.handler = .file(handler) } }

    /// No delegate is told the end: a reader gets it.
    func takeCompletion() { call { (_: Data?, _: (any URLResponse)?, _: (any Error)?) in } }

    /// Adds to the body that a handler for data gets.
    func collect(_ data: Data, of task: SessionTask) {
        let overflows = state.withLock { state in
            guard case .data = state.handler else { return false }
            return state.body.take(data.span) == .overflowed
        }
        if overflows { task.cancel() }
    }

    /// Calls the handler with the file. False without a handler for files.
    func finish(_ task: SessionTask, _ location: URL) -> Bool {
        let handler = state.withLock { state -> FileHandler? in
            guard case .file(let handler) = state.handler else { return nil }
            // It is called once: not with an error afterwards.
            state.handler = .file { _, _, _ in }
            return handler
        }
        handler?(location, task.response, nil)
        return handler != nil
    }

    /// Calls the handler at the end. False without a handler.
    func complete(_ task: SessionTask, _ error: (any Error)?) -> Bool {
        let (handler, body, failure) = state.withLock { state in
            // A task that the program keeps does not keep the body.
            (state.handler.take(), state.body.takeAll(), state.body.failure)
        }
        switch handler {
        case nil: return false
        case .data(let handler):
            let failure = failure.map { SessionError(.transfer($0), phase: .body, wasSent: true) }
            if let error = failure ?? error { handler(nil, nil, error) } else { handler(body, task.response, nil) }
        case .file(let handler): if let error { handler(nil, task.response, error) }
        }
        return true
    }

    /// The task has ended.
    func end() {
        let ended = state.withLock { state in
            defer { (state.session, state.delegate, state.listener, state.hasEnded) = (nil, nil, nil, true) }
            return (state.session, state.delegate)
        }
        withExtendedLifetime(ended) {}
    }

    // Progress

    /// Counts the bytes that are sent and received; canceling it cancels the task, and pausing it suspends the task.
    func progress(of task: SessionTask) -> Progress {
        defer { advance(task) }
        if let progress = state.withLock({ $0.progress }) { return progress }
        let made = Progress(totalUnitCount: -1)
        made.isCancellable = true
        made.isPausable = true
        made.cancellationHandler = { [weak task] in task?.cancel() }
        made.pausingHandler = { [weak task] in task?.suspend() }
        made.resumingHandler = { [weak task] in task?.resume() }
        return state.withLock { state in
            // Another thread may have been here first.
            let progress = state.progress ?? made
            state.progress = progress
            return progress
        }
    }

    /// Bytes were sent or received, or the task has ended.
    func advance(_ task: SessionTask) {
        guard let progress = state.withLock({ $0.progress }) else { return }
        let done = task.countOfBytesSent &+ task.countOfBytesReceived
        let isComplete = task.state == .completed && task.error == nil
        let expected = [task.countOfBytesExpectedToSend, task.countOfBytesExpectedToReceive]
        let total = expected.contains { $0 < 0 } ? -1 : expected[0] &+ expected[1]
        progress.totalUnitCount = isComplete ? max(done, 1) : total
        progress.completedUnitCount = isComplete ? max(done, 1) : done
    }
}
