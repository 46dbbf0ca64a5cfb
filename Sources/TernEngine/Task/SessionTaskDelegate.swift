// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1

/// Receives the events of a task, in this order, on the reactor's thread: process them quickly and return. Questions
/// can be answered within the call or later, see ``DelegateQuestion``.
///
/// `didCompleteWith` is called exactly once and last, in every case, except for a task that becomes a download; then
/// the task releases its delegate. Every method has a default, which does nothing, or gives the usual answer.
public protocol SessionTaskDelegate: AnyObject, Sendable {
    /// An event of a task, or a question about one. The task calls this method alone, but for the bytes of a body; by
    /// default it calls the event's own method below. A delegate that stands before another passes the events that it
    /// does not process to the other's `handle(_:of:)`.
    func handle(_ event: TaskEvent, of task: SessionTask)
    /// Whether the delegate receives server trust challenges. Read when a TLS connection is opened, on the reactor's
    /// thread; by default false, and the verdict of the policies is kept.
    var answersServerTrustChallenges: Bool { get }
    /// The session's policies have evaluated the server of a connection that is opened for the task. See
    /// ``SessionDelegate/session(_:didReceive:_:)``, whose answer comes first. By default the verdict of the policies
    /// is kept.
    ///
    /// Called once for each TLS connection, not for each task: a task that uses an idle connection is not asked. A task
    /// that takes over a connection while another task's delegate is asked, is asked in its place.
    func task(_ task: SessionTask, didReceive challenge: ServerTrustChallenge, _ question: ServerTrustQuestion)
    /// The task waits for a network: see ``SessionConfiguration/waitsForConnectivity``. Called once, for the first wait.
    func taskIsWaitingForConnectivity(_ task: SessionTask)
    /// The request is sent again after a delay, as its ``RetryPolicy`` says, unless the answer is another. Until the answer
    /// nothing of the response is discarded. By default the request is sent again.
    func task(_ task: SessionTask, willRetry retry: RetryMetrics, _ question: DelegateQuestion<RetryAnswer>)
    /// The request is about to be sent on this connection. Called again if it is sent again on another.
    func task(_ task: SessionTask, willSendOn connection: ConnectionMetrics)
    /// More of the request's content was passed to the kernel: `bytesSent` bytes since the last call, `totalBytesSent`
    /// in all, of `totalBytesExpectedToSend`, which is -1 if it is unknown. Starts at 0 again when the request is sent
    /// again.
    func task(
        _ task: SessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64)
    /// A 1xx response other than 101; there may be several (RFC 9110 §15.2).
    func task(_ task: SessionTask, didReceiveInformational response: HTTPURLResponse)
    /// The response is a redirect, and this is the next request. By default it is sent.
    func task(
        _ task: SessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        _ question: DelegateQuestion<RedirectAnswer>)
    /// The server requests credentials. By default ``AuthenticationChallenge/proposedCredential`` is sent, if there is one
    /// and none was refused before; otherwise the 401 is the answer.
    func task(
        _ task: SessionTask, didReceive challenge: AuthenticationChallenge,
        _ question: DelegateQuestion<ChallengeAnswer>)
    /// The request must be sent again, because of a redirect or a challenge, and its content can be read only once and
    /// has been read. By default there is no other content: then a redirect fails, and the response to a refused request
    /// is the answer.
    func task(_ task: SessionTask, needsNewBody question: DelegateQuestion<BodyAnswer>)
    /// This final response is not the answer: the request is sent again, as after a challenge that a stored password
    /// answers, a stored response takes its place, or the task fails. The body is discarded. A redirect that is followed
    /// is not discarded but asked about.
    func task(_ task: SessionTask, didDiscard response: HTTPURLResponse)
    /// The head of the final response.
    func task(_ task: SessionTask, didReceive response: HTTPURLResponse)
    /// The same, for a delegate that decides whether it wants the body; no part of the body is delivered until the
    /// answer. The default calls the method without a question, and allows.
    func task(
        _ task: SessionTask, didReceive response: HTTPURLResponse, _ question: DelegateQuestion<ResponseAnswer>)
    /// The next bytes of the body, valid for the duration of the call. Their boundaries are unrelated to the framing:
    /// one call may bring the content of several chunks, or a part of one.
    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>)
    /// The trailer fields after a chunked body, if there were any.
    func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields)
    /// The trailer fields that are not allowed as trailers (RFC 9110 §6.5.1), such as `Set-Cookie` or `Content-Length`,
    /// if there were any. The response is complete without them, and they have no effect.
    func task(_ task: SessionTask, didDiscardTrailers discarded: HeaderFields)
    /// The response is complete, and is to be stored in the session's cache. Called before the end; the answer may come
    /// later, and the end does not wait for it.
    func task(_ task: SessionTask, willCache question: CacheQuestion)
    /// The end: nil when the response is complete. `task.metrics` is final.
    func task(_ task: SessionTask, didCompleteWith error: SessionError?)
}

extension SessionTaskDelegate {
    /// False.
    public var answersServerTrustChallenges: Bool { false }
    /// Keeps the verdict.
    public func task(_ task: SessionTask, didReceive challenge: ServerTrustChallenge, _ question: ServerTrustQuestion) {
        question.answer(.performDefaultHandling)
    }
    /// Does nothing.
    public func taskIsWaitingForConnectivity(_ task: SessionTask) {}
    /// Retries.
    public func task(_ task: SessionTask, willRetry retry: RetryMetrics, _ question: DelegateQuestion<RetryAnswer>) {
        question.answer(.retry)
    }
    /// Does nothing.
    public func task(_ task: SessionTask, willSendOn connection: ConnectionMetrics) {}
    /// Does nothing.
    public func task(
        _ task: SessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {}
    /// Does nothing.
    public func task(_ task: SessionTask, didReceiveInformational response: HTTPURLResponse) {}
    /// Follows.
    public func task(
        _ task: SessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        _ question: DelegateQuestion<RedirectAnswer>
    ) {
        question.answer(.follow(request))
    }
    /// Performs the default handling.
    public func task(
        _ task: SessionTask, didReceive challenge: AuthenticationChallenge,
        _ question: DelegateQuestion<ChallengeAnswer>
    ) {
        question.answer(.performDefaultHandling)
    }
    /// Has none.
    public func task(_ task: SessionTask, needsNewBody question: DelegateQuestion<BodyAnswer>) {
        question.answer(.unavailable)
    }
    /// Does nothing.
    public func task(_ task: SessionTask, didDiscard response: HTTPURLResponse) {}
    /// Does nothing.
    public func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {}
    /// Calls the method without a question, and allows.
    public func task(
        _ task: SessionTask, didReceive response: HTTPURLResponse, _ question: DelegateQuestion<ResponseAnswer>
    ) {
        self.task(task, didReceive: response)
        question.answer(.allow)
    }
    /// Ignores the bytes.
    public func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {}
    /// Does nothing.
    public func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {}
    /// Does nothing.
    public func task(_ task: SessionTask, didDiscardTrailers discarded: HeaderFields) {}
    /// Stores the proposed response.
    public func task(_ task: SessionTask, willCache question: CacheQuestion) { question.answer(question.proposal) }
    /// Does nothing.
    public func task(_ task: SessionTask, didCompleteWith error: SessionError?) {}
}

/// A delegate that provides a buffer for a body: bytes received there need not be moved.
protocol ContentReceiver: SessionTaskDelegate {
    /// Returns the buffer for the next `count` bytes of content; nil for no preference. Valid until the next delivery,
    /// which may bring other bytes, or none.
    @unsafe func room(for count: Int) -> UnsafeMutableRawBufferPointer?
}

/// A delegate whose content may begin anew, or go on, with another response.
package protocol ContinuedReceiver: SessionTaskDelegate {
    /// The response broke off while it was delivered. Returns the request for what is missing, or for the whole, which the
    /// policy of retries may have sent; nil if that cannot help. On the reactor's thread.
    func requestOfRest(after reason: SessionError.Reason, of task: SessionTask) -> URLRequest?
}

extension SessionTaskDelegate {
    /// Calls the method of the event, if it has one.
    public func handle(_ event: TaskEvent, of task: SessionTask) {
        switch event {
        case .serverTrust(let challenge, let question): self.task(task, didReceive: challenge, question)
        case .waitingForConnectivity: taskIsWaitingForConnectivity(task)
        case .willRetry(let retry, let question): self.task(task, willRetry: retry, question)
        case .willSend(let connection): self.task(task, willSendOn: connection)
        case .sentBodyData(let count, let total, let expected):
            self.task(task, didSendBodyData: count, totalBytesSent: total, totalBytesExpectedToSend: expected)
        case .informational(let response): self.task(task, didReceiveInformational: response)
        case .redirect(let response, let request, let question):
            self.task(task, willPerformHTTPRedirection: response, newRequest: request, question)
        case .challenge(let challenge, let question): self.task(task, didReceive: challenge, question)
        case .newBody(let question): self.task(task, needsNewBody: question)
        case .discarded(let response): self.task(task, didDiscard: response)
        case .response(let response, let question): self.task(task, didReceive: response, question)
        case .responseOver(let trailers, let discarded):
            if !trailers.isEmpty { self.task(task, didReceiveTrailers: trailers) }
            // The call before may have ended the task.
            if !discarded.isEmpty, task.state != .completed { self.task(task, didDiscardTrailers: discarded) }
        case .willCache(let question): self.task(task, willCache: question)
        case .completed(let error): self.task(task, didCompleteWith: error)
        case .started, .waiting, .waited, .hopBegan, .prepared, .head, .hopOver, .attemptBegan, .connecting,
            .connectionFailed, .webSocket, .attemptOver, .answered, .retrying:
            break
        }
    }
}

/// The delegate of tasks whose events are not wanted, and of tasks that have completed.
package final class NoOpTaskDelegate: SessionTaskDelegate {
    package static let shared = NoOpTaskDelegate()
}
