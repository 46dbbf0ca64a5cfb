// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Synchronization
public import TernEngine
import TernLock

/// The hub of a manager, which receives every event of its tasks. A closure that is set replaces the library's
/// handling. Without a closure the task's own delegate handles the event, and without that a default.
///
/// The order is the same for every event: the closure with a completion handler, which must call it; the plain closure;
/// the ``TaskDelegate`` of the request; the default. Only ``taskDidComplete`` is called additionally, and replaces
/// nothing.
///
/// Closures, and the methods of subclasses, run on the manager's callback queue, one after another and in the order of
/// the events of a task; none runs on a reactor. Without any, events do not pass through the hub. Set closures before
/// the requests they are for: earlier events are not repeated.
///
/// Thread-safe. Sendable because its state is behind locks; a subclass must keep that.
open class SessionDelegate: @unchecked Sendable {
    let closures = ClosureTable()
    let registry = TaskRegistry()
    /// The events of tasks that belong to no request.
    package let events = DelegateQueue()
    let interception: RequestInterception
    /// Makes the session evaluate servers again.
    let adoptPolicies = Lock<(@Sendable () -> Void)?>(nil)

    /// Creates a hub without closures.
    public init() { interception = RequestInterception(registry) }

    /// The request that a task belongs to; nil if it has ended, or the task belongs to none.
    open subscript(task: SessionTask) -> Request? {
        get { registry[task] }
        set { registry[task] = newValue }
    }

    // The session

    /// Called when the session has been invalidated and its last task has ended.
    @preconcurrency open var sessionDidBecomeInvalidWithError: (@Sendable (Session, (any Error)?) -> Void)? {
        get { self[\.sessionInvalid] }
        set { self[\.sessionInvalid] = newValue }
    }

    /// Answers the verdict of the manager's policies about a server (``TernEngine/Challenge/verdict``), before anything is sent
    /// to the server. Called once for each TLS connection, resumed ones included; setting the closure closes earlier idle
    /// connections.
    ///
    /// `.useCredential` with ``TernEngine/Credential/init(trust:)`` accepts the server, even against the policies, for this
    /// connection and its requests: its TLS session is not kept, and the refusal stays visible in
    /// ``TernEngine/ConnectionMetrics/overriddenTrustFailure``. `.performDefaultHandling` leaves the answer to the
    /// task's closures and, if they do the same, keeps the verdict. The other answers refuse the server.
    @preconcurrency open var sessionDidReceiveChallenge:
        (@Sendable (Session, Challenge) -> (ChallengeDisposition, Credential?))?
    {
        get { self[\.sessionChallenge] }
        set { self[\.sessionChallenge] = newValue }
    }

    /// Answers the verdict with a completion handler, which may be called later and from any thread. The request fails
    /// after ``TernEngine/SessionConfiguration/challengeTimeout``.
    @preconcurrency open var sessionDidReceiveChallengeWithCompletion:
        (@Sendable (Session, Challenge, @escaping ChallengeCompletion) -> Void)?
    {
        get { self[\.sessionChallengeWithCompletion] }
        set { self[\.sessionChallengeWithCompletion] = newValue }
    }

    /// Never called: there are no background sessions.
    @preconcurrency open var sessionDidFinishEventsForBackgroundURLSession: (@Sendable (Session) -> Void)? {
        get { self[\.backgroundEvents] }
        set { self[\.backgroundEvents] = newValue }
    }

    /// Called, once for a task, when it begins to wait for a network; see
    /// ``TernEngine/SessionConfiguration/waitsForConnectivity``.
    @preconcurrency open var taskIsWaitingForConnectivity: (@Sendable (Session, SessionTask) -> Void)? {
        get { self[\.waiting] }
        set { self[\.waiting] = newValue }
    }

    /// Answers a retry that a request's ``TernEngine/RetryPolicy`` proposes, and may refuse it or change its delay.
    @preconcurrency open var taskWillRetry: (@Sendable (Session, SessionTask, RetryMetrics) -> RetryAnswer)? {
        get { self[\.retry] }
        set { self[\.retry] = newValue }
    }

    /// Returns the request that follows a redirect; nil delivers the redirect.
    @preconcurrency open var taskWillPerformHTTPRedirection:
        (@Sendable (Session, SessionTask, HTTPURLResponse, URLRequest) -> URLRequest?)?
    {
        get { self[\.redirection] }
        set { self[\.redirection] = newValue }
    }

    /// Answers a redirect with a completion handler, which may be called later.
    @preconcurrency open var taskWillPerformHTTPRedirectionWithCompletion:
        (@Sendable (Session, SessionTask, HTTPURLResponse, URLRequest, @escaping RedirectCompletion) -> Void)?
    {
        get { self[\.redirectionWithCompletion] }
        set { self[\.redirectionWithCompletion] = newValue }
    }

    /// Answers a server that requests credentials. Also answers the verdict of the manager's policies about the server
    /// of a connection that is opened for the task, as ``sessionDidReceiveChallenge`` does, if that has not decided.
    @preconcurrency open var taskDidReceiveChallenge:
        (@Sendable (Session, SessionTask, Challenge) -> (ChallengeDisposition, Credential?))?
    {
        get { self[\.challenge] }
        set { self[\.challenge] = newValue }
    }

    /// Answers a challenge with a completion handler, which may be called later.
    @preconcurrency open var taskDidReceiveChallengeWithCompletion:
        (@Sendable (Session, SessionTask, Challenge, @escaping ChallengeCompletion) -> Void)?
    {
        get { self[\.challengeWithCompletion] }
        set { self[\.challengeWithCompletion] = newValue }
    }

    /// Returns a new body stream when the first one has been read and must be sent again; nil fails the request.
    @preconcurrency open var taskNeedNewBodyStream: (@Sendable (Session, SessionTask) -> InputStream?)? {
        get { self[\.bodyStream] }
        set { self[\.bodyStream] = newValue }
    }

    /// Returns a new body stream with a completion handler, which may be called later.
    @preconcurrency open var taskNeedNewBodyStreamWithCompletion:
        (@Sendable (Session, SessionTask, @escaping StreamCompletion) -> Void)?
    {
        get { self[\.bodyStreamWithCompletion] }
        set { self[\.bodyStreamWithCompletion] = newValue }
    }

    /// Called, in place of the request's progress, when bytes of the body were sent, with the count since the last call,
    /// in total, and expected.
    @preconcurrency open var taskDidSendBodyData: (@Sendable (Session, SessionTask, Int64, Int64, Int64) -> Void)? {
        get { self[\.dataSent] }
        set { self[\.dataSent] = newValue }
    }

    /// Called when a task has ended and is not retried, in addition to its delegate and before it.
    @preconcurrency open var taskDidComplete: (@Sendable (Session, SessionTask, (any Error)?) -> Void)? {
        get { self[\.completion] }
        set { self[\.completion] = newValue }
    }

    /// Returns whether to read the body of a response, and whether into a file.
    @preconcurrency open var dataTaskDidReceiveResponse:
        (@Sendable (Session, SessionDataTask, HTTPURLResponse) -> ResponseAnswer)?
    {
        get { self[\.response] }
        set { self[\.response] = newValue }
    }

    /// Answers a response with a completion handler, which may be called later.
    @preconcurrency open var dataTaskDidReceiveResponseWithCompletion:
        (@Sendable (Session, SessionDataTask, HTTPURLResponse, @escaping ResponseCompletion) -> Void)?
    {
        get { self[\.responseWithCompletion] }
        set { self[\.responseWithCompletion] = newValue }
    }

    /// Called with the download that replaces a data task whose response was answered with
    /// ``TernEngine/ResponseAnswer/becomeDownload``. The request continues with it: its handlers run when the
    /// download ends, and have no data.
    @preconcurrency open var dataTaskDidBecomeDownloadTask:
        (@Sendable (Session, SessionDataTask, SessionDownloadTask) -> Void)?
    {
        get { self[\.becameDownload] }
        set { self[\.becameDownload] = newValue }
    }

    /// Receives the bytes of a body in place of the request, which then collects none.
    @preconcurrency open var dataTaskDidReceiveData: (@Sendable (Session, SessionDataTask, Data) -> Void)? {
        get { self[\.dataReceived] }
        set { self[\.dataReceived] = newValue }
    }

    /// Answers what the session's cache stores of a complete response: the proposed one, another one, or nil for none.
    /// Without a closure the proposed one is stored.
    @preconcurrency open var dataTaskWillCacheResponse:
        (@Sendable (Session, SessionDataTask, CachedURLResponse) -> CachedURLResponse?)?
    {
        get { self[\.willCache] }
        set { self[\.willCache] = newValue }
    }

    /// Answers what is stored with a completion handler, which may be called later.
    @preconcurrency open var dataTaskWillCacheResponseWithCompletion:
        (@Sendable (Session, SessionDataTask, CachedURLResponse, @escaping CacheCompletion) -> Void)?
    {
        get { self[\.willCacheWithCompletion] }
        set { self[\.willCacheWithCompletion] = newValue }
    }

    /// Receives a complete file in place of the request, whose destination is then not called. A file that is still
    /// there when the closure returns is removed.
    @preconcurrency open var downloadTaskDidFinishDownloadingToURL:
        (@Sendable (Session, SessionDownloadTask, URL) -> Void)?
    {
        get { self[\.fileFinished] }
        set { self[\.fileFinished] = newValue }
    }

    /// Called, in place of the request's progress, when bytes were written to a file, with the bytes since the last
    /// call, in total, and expected.
    @preconcurrency open var downloadTaskDidWriteData:
        (@Sendable (Session, SessionDownloadTask, Int64, Int64, Int64) -> Void)?
    {
        get { self[\.fileWritten] }
        set { self[\.fileWritten] = newValue }
    }

    /// Called, in place of the request's progress, with the offset at which a download resumes, and the expected total.
    @preconcurrency open var downloadTaskDidResumeAtOffset:
        (@Sendable (Session, SessionDownloadTask, Int64, Int64) -> Void)?
    {
        get { self[\.fileResumed] }
        set { self[\.fileResumed] = newValue }
    }

    // The methods that a subclass may override. Each follows the order above.

    /// A task that belongs to no request was created on the session. On the thread that creates it.
    open func urlSession(_ session: Session, didCreateTask task: SessionTask) {}

    /// Called when the session has been invalidated and its last task has ended.
    open func urlSession(_ session: Session, didBecomeInvalidWithError error: (any Error)?) {
        self[\.sessionInvalid]?(session, error)
    }

    /// The manager's policies have evaluated a server, or a server requests the credentials of a task that belongs to
    /// no request. Without a closure, the default handling applies.
    @preconcurrency open func urlSession(
        _ session: Session, didReceive challenge: Challenge, completionHandler: @escaping ChallengeCompletion
    ) {
        if let closure = self[\.sessionChallengeWithCompletion] {
            return closure(session, challenge, completionHandler)
        }
        let answer = self[\.sessionChallenge]?(session, challenge)
        completionHandler(answer?.0 ?? .performDefaultHandling, answer?.1)
    }

    /// Never called: there are no background sessions.
    open func urlSessionDidFinishEvents(forBackgroundURLSession session: Session) {
        self[\.backgroundEvents]?(session)
    }

    /// Called when a task begins to wait for a network.
    open func urlSession(_ session: Session, taskIsWaitingForConnectivity task: SessionTask) {
        self[\.waiting]?(session, task)
    }

    /// Called for a retry that the request's ``TernEngine/RetryPolicy`` proposes.
    @preconcurrency open func urlSession(
        _ session: Session, task: SessionTask, willRetry retry: RetryMetrics,
        completionHandler: @escaping @Sendable (RetryAnswer) -> Void
    ) {
        let closure = self[\.retry] ?? self[task]?.delegate.taskWillRetry
        completionHandler(closure.map { $0(session, task, retry) } ?? .retry)
    }

    /// Called for a redirect.
    @preconcurrency open func urlSession(
        _ session: Session, task: SessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping RedirectCompletion
    ) {
        if let closure = self[\.redirectionWithCompletion] {
            return closure(session, task, response, request, completionHandler)
        }
        let closure = self[\.redirection] ?? self[task]?.delegate.taskWillPerformHTTPRedirection
        completionHandler(closure.map { $0(session, task, response, request) } ?? request)
    }

    /// A server requests credentials, or the manager's policies have evaluated the server of a connection that is
    /// opened for the task.
    @preconcurrency open func urlSession(
        _ session: Session, task: SessionTask, didReceive challenge: Challenge,
        completionHandler: @escaping ChallengeCompletion
    ) {
        if let closure = self[\.challengeWithCompletion] {
            return closure(session, task, challenge, completionHandler)
        }
        if let closure = self[\.challenge] {
            let (disposition, credential) = closure(session, task, challenge)
            return completionHandler(disposition, credential)
        }
        answerByDefault(challenge, of: task, in: session, completionHandler)
    }

    /// Called when a body stream that has been read must be sent again.
    @preconcurrency open func urlSession(
        _ session: Session, task: SessionTask, needNewBodyStream completionHandler: @escaping StreamCompletion
    ) {
        if let closure = self[\.bodyStreamWithCompletion] { return closure(session, task, completionHandler) }
        let closure = self[\.bodyStream] ?? self[task]?.delegate.taskNeedNewBodyStream
        completionHandler(closure?(session, task))
    }

    /// Called when more of the request body was sent.
    open func urlSession(
        _ session: Session, task: SessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        if let closure = self[\.dataSent] ?? self[task]?.delegate.override(\.dataSent) {
            return closure(session, task, bytesSent, totalBytesSent, totalBytesExpectedToSend)
        }
        report(sent: bytesSent, total: totalBytesSent, expected: totalBytesExpectedToSend, of: task)
    }

    /// Called when a task has ended, with its metrics.
    open func urlSession(_ session: Session, task: SessionTask, didFinishCollecting metrics: TaskMetrics) {}

    /// The task has ended. Validations, the retrier and the handlers follow, through the task's delegate.
    open func urlSession(_ session: Session, task: SessionTask, didCompleteWithError error: (any Error)?) {
        guard let delegate = self[task]?.delegate else { return deliverCompletion(of: task, error) }
        delegate.complete(with: error)
    }

    /// Called with the head of the response.
    @preconcurrency open func urlSession(
        _ session: Session, dataTask: SessionDataTask, didReceive response: HTTPURLResponse,
        completionHandler: @escaping ResponseCompletion
    ) {
        if let closure = self[\.responseWithCompletion] {
            return closure(session, dataTask, response, completionHandler)
        }
        completionHandler(self[\.response]?(session, dataTask, response) ?? .allow)
    }

    /// Called when the response becomes a file; later events are those of the download.
    open func urlSession(
        _ session: Session, dataTask: SessionDataTask, didBecome downloadTask: SessionDownloadTask
    ) {
        self[\.becameDownload]?(session, dataTask, downloadTask)
    }

    /// Called with more bytes of the body.
    open func urlSession(_ session: Session, dataTask: SessionDataTask, didReceive data: Data) {
        let closure = self[\.dataReceived] ?? self[dataTask]?.delegate.override(\.dataReceived)
        if let closure { return closure(session, dataTask, data) }
        collect(data, of: dataTask)
    }

    /// Called with a complete response that is to be stored in the session's cache.
    @preconcurrency open func urlSession(
        _ session: Session, dataTask: SessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping CacheCompletion
    ) {
        if let closure = self[\.willCacheWithCompletion] {
            return closure(session, dataTask, proposedResponse, completionHandler)
        }
        if let closure = self[\.willCache] { return completionHandler(closure(session, dataTask, proposedResponse)) }
        cacheByDefault(proposedResponse, of: dataTask, in: session, completionHandler)
    }

    /// Called with a complete file, which a request keeps; without a request the file is removed afterwards.
    open func urlSession(
        _ session: Session, downloadTask: SessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        if let closure = self[\.fileFinished] { return closure(session, downloadTask, location) }
        deliver(location, of: downloadTask)
    }

    /// Called when more bytes were written to a file.
    open func urlSession(
        _ session: Session, downloadTask: SessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        if let closure = self[\.fileWritten] ?? self[downloadTask]?.delegate.override(\.fileWritten) {
            return closure(session, downloadTask, bytesWritten, totalBytesWritten, totalBytesExpectedToWrite)
        }
        report(written: bytesWritten, total: totalBytesWritten, expected: totalBytesExpectedToWrite, of: downloadTask)
    }

    /// Called when a download resumes at the end of an earlier one.
    open func urlSession(
        _ session: Session, downloadTask: SessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        if let closure = self[\.fileResumed] ?? self[downloadTask]?.delegate.override(\.fileResumed) {
            return closure(session, downloadTask, fileOffset, expectedTotalBytes)
        }
        report(resumedAt: fileOffset, total: expectedTotalBytes, of: downloadTask)
    }

    /// Called when no more can be read from a stream.
    open func urlSession(_ session: Session, readClosedFor streamTask: StreamTask) {
        streamTaskReadClosed?(session, streamTask)
    }

    /// Called when no more can be written to a stream.
    open func urlSession(_ session: Session, writeClosedFor streamTask: StreamTask) {
        streamTaskWriteClosed?(session, streamTask)
    }
}

// Streams of bytes.
extension SessionDelegate {
    /// Called when no more can be read from a stream.
    @preconcurrency public var streamTaskReadClosed: (@Sendable (Session, StreamTask) -> Void)? {
        get { self[\.streamReadClosed] }
        set { self[\.streamReadClosed] = newValue }
    }

    /// Called when no more can be written to a stream.
    @preconcurrency public var streamTaskWriteClosed: (@Sendable (Session, StreamTask) -> Void)? {
        get { self[\.streamWriteClosed] }
        set { self[\.streamWriteClosed] = newValue }
    }

    /// Never called: the engine does not watch for better routes.
    @preconcurrency public var streamTaskBetterRouteDiscovered: (@Sendable (Session, StreamTask) -> Void)? {
        get { self[\.streamBetterRoute] }
        set { self[\.streamBetterRoute] = newValue }
    }

    /// Never called: a stream task is read and written through its own methods.
    @preconcurrency public var streamTaskDidBecomeInputAndOutputStreams:
        (@Sendable (Session, StreamTask, InputStream, OutputStream) -> Void)?
    {
        get { self[\.streamStreams] }
        set { self[\.streamStreams] = newValue }
    }
}

extension SessionDelegate {
    /// Answers a challenge.
    public typealias ChallengeCompletion = @Sendable (ChallengeDisposition, Credential?) -> Void
    /// Answers a redirect; nil delivers the response.
    public typealias RedirectCompletion = @Sendable (URLRequest?) -> Void
    /// Provides a new body stream; nil for none.
    public typealias StreamCompletion = @Sendable (InputStream?) -> Void
    /// Answers whether the body of a response is wanted.
    public typealias ResponseCompletion = @Sendable (ResponseAnswer) -> Void
    /// Called once with what is stored of a response; nil for none.
    public typealias CacheCompletion = @Sendable (CachedURLResponse?) -> Void
}
