// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1

/// Receives what happens to a task, in this order, on the reactor's thread: take what you need and return. What a task
/// asks can be answered then or later, see ``DelegateQuestion``.
///
/// `didCompleteWith` is called exactly once and last, whatever happened, but for a task that becomes a download; then
/// the task lets go of its delegate. All methods but that one have a default, which does nothing, or answers as most
/// would.
public protocol SessionTaskDelegate: AnyObject, Sendable {
    /// Whether server trust challenges are to be shown to the delegate. Looked at when a TLS connection is opened, on
    /// the reactor's thread; by default false, and the verdict of the policies stands.
    var answersServerTrustChallenges: Bool { get }
    /// The session's policies have evaluated the server of a connection that is opened for the task. See
    /// ``SessionDelegate/session(_:didReceive:_:)``, whose answer comes first. By default the verdict of the policies
    /// stands.
    ///
    /// Comes once for each TLS connection, not for each task: a task that uses an idle connection is not asked. A task
    /// that takes over a connection while another task's delegate is asked, is asked in its place.
    func task(_ task: SessionTask, didReceive challenge: ServerTrustChallenge, _ question: ServerTrustQuestion)
    /// The request is about to be sent on this connection. Called again if it is sent again on another.
    func task(_ task: SessionTask, willSendOn connection: ConnectionMetrics)
    /// More of the request's content was handed to the kernel: `bytesSent` bytes since the last call, `totalBytesSent`
    /// in all, of `totalBytesExpectedToSend`, which is -1 if it is not known. Begins again at 0 when the request is
    /// sent again.
    func task(
        _ task: SessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64)
    /// A 1xx response other than 101; there may be several (RFC 9110 §15.2).
    func task(_ task: SessionTask, didReceiveInformational response: HTTPURLResponse)
    /// The response sends the task elsewhere, and this is what would be asked there. By default it is.
    func task(
        _ task: SessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        _ question: DelegateQuestion<RedirectAnswer>)
    /// The server asks for credentials. By default there are none, and the 401 is the answer.
    func task(
        _ task: SessionTask, didReceive challenge: AuthenticationChallenge,
        _ question: DelegateQuestion<ChallengeAnswer>)
    /// The request has to be sent again, because of a redirect or a challenge, and its content can be read once only.
    /// By default there is no other, and the task fails.
    func task(_ task: SessionTask, needsNewBody question: DelegateQuestion<BodyAnswer>)
    /// The head of the final response: the answer.
    func task(_ task: SessionTask, didReceive response: HTTPURLResponse)
    /// The same, for a delegate that decides whether it wants the body; nothing of the body is delivered until the
    /// answer. The default calls the method without a question, and allows.
    func task(
        _ task: SessionTask, didReceive response: HTTPURLResponse, _ question: DelegateQuestion<ResponseAnswer>)
    /// The next bytes of the body, lent for the length of the call. They say nothing about how it was framed: one call
    /// may bring the content of several chunks, or a part of one.
    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>)
    /// The trailer fields after a chunked body, if there were any.
    func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields)
    /// The fields that came among the trailers and may not (RFC 9110 §6.5.1), such as `Set-Cookie` or `Content-Length`,
    /// if there were any. The response is complete without them, and nothing obeys them.
    func task(_ task: SessionTask, didDiscardTrailers discarded: HeaderFields)
    /// The end: nil when the response is complete. `task.metrics` is final.
    func task(_ task: SessionTask, didCompleteWith error: SessionError?)
}

extension SessionTaskDelegate {
    /// False.
    public var answersServerTrustChallenges: Bool { false }
    /// Lets the verdict stand.
    public func task(_ task: SessionTask, didReceive challenge: ServerTrustChallenge, _ question: ServerTrustQuestion) {
        question.answer(.performDefaultHandling)
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
    /// Delivers the response.
    public func task(
        _ task: SessionTask, didReceive challenge: AuthenticationChallenge,
        _ question: DelegateQuestion<ChallengeAnswer>
    ) {
        question.answer(.deliver)
    }
    /// Has none.
    public func task(_ task: SessionTask, needsNewBody question: DelegateQuestion<BodyAnswer>) {
        question.answer(.unavailable)
    }
    /// Does nothing.
    public func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {}
    /// Calls the method without a question, and allows.
    public func task(
        _ task: SessionTask, didReceive response: HTTPURLResponse, _ question: DelegateQuestion<ResponseAnswer>
    ) {
        self.task(task, didReceive: response)
        question.answer(.allow)
    }
    /// Lets the bytes go.
    public func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {}
    /// Does nothing.
    public func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {}
    /// Does nothing.
    public func task(_ task: SessionTask, didDiscardTrailers discarded: HeaderFields) {}
}

/// A delegate that has room for a body: what is received there need not be moved.
protocol ContentReceiver: SessionTaskDelegate {
    /// Returns where the next `count` bytes of content may be received; nil for anywhere. Lent until the delegate is
    /// told of them; it may also be told of others, or of none.
    @unsafe func room(for count: Int) -> UnsafeMutableRawBufferPointer?
}
