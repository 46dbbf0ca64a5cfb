// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import struct TernEngine.BodyAccumulator
import TernLock

/// Calls the delegates of one's own, and the completion handlers, of a session that was made with URLSession's initialisers:
/// on its operation queue, one after another, in the order of the events of a task. It retains the session's delegate
/// until the session is invalid.
final class DelegateHub: SessionDelegate, @unchecked Sendable {
    /// A delegate, as each of its kinds. Found once: a cast costs as much as a small read.
    struct Listener: Sendable {
        let session: (any URLSessionDelegate)?
        let task: (any URLSessionTaskDelegate)?
        let data: (any URLSessionDataDelegate)?
        let download: (any URLSessionDownloadDelegate)?
        let stream: (any URLSessionStreamDelegate)?

        init(_ delegate: (any URLSessionDelegate)?) {
            session = delegate
            task = delegate as? any URLSessionTaskDelegate
            data = delegate as? any URLSessionDataDelegate
            download = delegate as? any URLSessionDownloadDelegate
            stream = delegate as? any URLSessionStreamDelegate
        }
    }

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
        super.init()
    }

    /// Receives the events of this session from now on.
    func attach(to session: Session) {
        attach(to: session) { [queue] block in queue.addOperation(QueuedBlock(block)) }
    }

    /// The delegate that a task has of its own, and after it the session's.
    private func listener<Delegate>(of task: SessionTask, _ kind: KeyPath<Listener, Delegate?>) -> Delegate? {
        (task.companion as? TaskCompanion)?.listener?[keyPath: kind] ?? listener[keyPath: kind]
    }

    private func taskListener(of task: SessionTask) -> (any URLSessionTaskDelegate)? {
        (task.companion as? TaskCompanion)?.listener?.task ?? listener.task
    }

    // The session

    override func urlSession(_ session: Session, didCreateTask task: SessionTask) {
        task.companion = TaskCompanion(keeping: session)
        listener.task?.urlSession(session, didCreateTask: task)
    }

    override func urlSession(_ session: Session, didBecomeInvalidWithError error: (any Error)?) {
        listener.session?.urlSession(session, didBecomeInvalidWithError: error)
        var released = Listener(nil)
        current.withLock { swap(&$0, &released) }
    }

    override func urlSession(
        _ session: Session, didReceive challenge: Challenge, completionHandler: @escaping ChallengeCompletion
    ) {
        guard let delegate = listener.session else { return completionHandler(.performDefaultHandling, nil) }
        delegate.urlSession(session, didReceive: challenge, completionHandler: completionHandler)
    }

    // Tasks

    override func urlSession(_ session: Session, taskIsWaitingForConnectivity task: SessionTask) {
        taskListener(of: task)?.urlSession(session, taskIsWaitingForConnectivity: task)
    }

    override func urlSession(
        _ session: Session, task: SessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping RedirectCompletion
    ) {
        guard let delegate = taskListener(of: task) else { return completionHandler(request) }
        delegate.urlSession(
            session, task: task, willPerformHTTPRedirection: response, newRequest: request,
            completionHandler: completionHandler)
    }

    override func urlSession(
        _ session: Session, task: SessionTask, didReceive challenge: Challenge,
        completionHandler: @escaping ChallengeCompletion
    ) {
        guard let delegate = taskListener(of: task) else { return completionHandler(.performDefaultHandling, nil) }
        delegate.urlSession(session, task: task, didReceive: challenge, completionHandler: completionHandler)
    }

    override func urlSession(
        _ session: Session, task: SessionTask, needNewBodyStream completionHandler: @escaping StreamCompletion
    ) {
        guard let delegate = taskListener(of: task) else { return completionHandler(nil) }
        delegate.urlSession(session, task: task, needNewBodyStream: completionHandler)
    }

    override func urlSession(
        _ session: Session, task: SessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        (task.companion as? TaskCompanion)?.advance(task)
        taskListener(of: task)?.urlSession(
            session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend)
    }

    override func urlSession(_ session: Session, task: SessionTask, didFinishCollecting metrics: TaskMetrics) {
        taskListener(of: task)?.urlSession(session, task: task, didFinishCollecting: metrics)
    }

    override func urlSession(_ session: Session, task: SessionTask, didCompleteWithError error: (any Error)?) {
        let companion = task.companion as? TaskCompanion
        companion?.advance(task)
        // The error of a protocol class is the program's own, unless URLSession has a code for it.
        let own = (error as? SessionError)?.providerError
        let error = own.map { ($0 as NSError).domain } == NSURLErrorDomain ? error : own ?? error
        if companion?.complete(task, error) != true {
            taskListener(of: task)?.urlSession(session, task: task, didCompleteWithError: error)
        }
        companion?.end()
    }

    // Data

    override func urlSession(
        _ session: Session, dataTask: SessionDataTask, didReceive response: HTTPURLResponse,
        completionHandler: @escaping ResponseCompletion
    ) {
        guard let delegate = listener(of: dataTask, \.data), !hasHandler(dataTask) else {
            return completionHandler(.allow)
        }
        delegate.urlSession(session, dataTask: dataTask, didReceive: response, completionHandler: completionHandler)
    }

    override func urlSession(
        _ session: Session, dataTask: SessionDataTask, didBecome downloadTask: SessionDownloadTask
    ) {
        listener(of: dataTask, \.data)?.urlSession(session, dataTask: dataTask, didBecome: downloadTask)
    }

    override func urlSession(_ session: Session, dataTask: SessionDataTask, didReceive data: Data) {
        let companion = dataTask.companion as? TaskCompanion
        companion?.advance(dataTask)
        if companion?.collect(data, of: dataTask) == true { return }
        listener(of: dataTask, \.data)?.urlSession(session, dataTask: dataTask, didReceive: data)
    }

    override func urlSession(
        _ session: Session, dataTask: SessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping CacheCompletion
    ) {
        guard let delegate = listener(of: dataTask, \.data), !hasHandler(dataTask) else {
            return completionHandler(proposedResponse)
        }
        delegate.urlSession(
            session, dataTask: dataTask, willCacheResponse: proposedResponse, completionHandler: completionHandler)
    }

    private func hasHandler(_ task: SessionTask) -> Bool { (task.companion as? TaskCompanion)?.hasHandler == true }

    // Downloads

    override func urlSession(
        _ session: Session, downloadTask: SessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        if (downloadTask.companion as? TaskCompanion)?.finish(downloadTask, location) == true { return }
        listener(of: downloadTask, \.download)?.urlSession(
            session, downloadTask: downloadTask, didFinishDownloadingTo: location)
    }

    override func urlSession(
        _ session: Session, downloadTask: SessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        (downloadTask.companion as? TaskCompanion)?.advance(downloadTask)
        if hasHandler(downloadTask) { return }
        listener(of: downloadTask, \.download)?.urlSession(
            session, downloadTask: downloadTask, didWriteData: bytesWritten, totalBytesWritten: totalBytesWritten,
            totalBytesExpectedToWrite: totalBytesExpectedToWrite)
    }

    override func urlSession(
        _ session: Session, downloadTask: SessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        if hasHandler(downloadTask) { return }
        listener(of: downloadTask, \.download)?.urlSession(
            session, downloadTask: downloadTask, didResumeAtOffset: fileOffset, expectedTotalBytes: expectedTotalBytes)
    }

    // Streams

    override func urlSession(_ session: Session, readClosedFor streamTask: StreamTask) {
        listener(of: streamTask, \.stream)?.urlSession(session, readClosedFor: streamTask)
    }

    override func urlSession(_ session: Session, writeClosedFor streamTask: StreamTask) {
        listener(of: streamTask, \.stream)?.urlSession(session, writeClosedFor: streamTask)
    }
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
final class TaskCompanion: Sendable {
    typealias DataHandler = @Sendable (Data?, HTTPURLResponse?, (any Error)?) -> Void
    typealias FileHandler = @Sendable (URL?, HTTPURLResponse?, (any Error)?) -> Void

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
    func takeCompletion() { call { (_: Data?, _: HTTPURLResponse?, _: (any Error)?) in } }

    /// Adds to the body that the handler gets. False without a handler for data.
    func collect(_ data: Data, of task: SessionTask) -> Bool {
        let (isCollected, overflows) = state.withLock { state in
            guard case .data = state.handler else { return (false, false) }
            return (true, state.body.take(data.span) == .overflowed)
        }
        if overflows { task.cancel() }
        return isCollected
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
