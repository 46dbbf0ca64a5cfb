// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1
public import TernIO

/// What happens to a task, each thing once, in the order in which it happens: what it does, what it waits for, what it
/// learns, what it asks its delegate, and how it ends.
///
/// A ``SessionObserver`` and a ``TaskTimeline`` are told all of it; ``TaskMetrics`` are its fold. A
/// ``SessionTaskDelegate`` is told what it has a method for: see ``isForDelegates``. What begins ends: a wait, an attempt,
/// a hop, a question and the task, in every case.
///
/// The bytes of a body are no event: they are valid only while `task(_:didReceive:)` runs.
public enum TaskEvent: Sendable {
    // The task

    /// The task was resumed, and its reactor has begun with it.
    case started
    /// The task, or an attempt of it, waits for this.
    case waiting(for: TaskWait)
    /// The wait is over, whatever it has come to. It began at this time.
    case waited(for: TaskWait, since: MonotonicInstant)
    /// The task waits for a network: told once, for the first wait.
    case waitingForConnectivity
    /// The end, and the last event.
    case completed(SessionError?)

    // A hop

    /// A hop begins with this request, after so many redirects.
    case hopBegan(URLRequest, redirectCount: Int)
    /// The request is sent in this form: with what the session, its policies and the attempt have added.
    case prepared(URLRequest)
    /// The head of a final response has arrived, from the network or from what answers in its place. Whether it is the
    /// answer is not known yet.
    case head(HTTPURLResponse)
    /// The hop is over. The cache has handled it so; nil without a cache.
    case hopOver(CacheStatus?)

    // An attempt

    /// An attempt of the hop begins; a hedge is made beside another one.
    case attemptBegan(isHedge: Bool)
    /// A connection is opened for the attempt: this has been done for it.
    case connecting(ConnectionStep)
    /// This connection was opened for the attempt, and will not be there.
    case connectionFailed(FailedConnectionMetrics)
    /// The request is about to be sent on this connection.
    case willSend(on: ConnectionMetrics)
    /// More of the request's content was passed to the kernel.
    case sentBodyData(Int64, total: Int64, expected: Int64)
    /// A 1xx response other than 101.
    case informational(HTTPURLResponse)
    /// A final response that is not the answer.
    case discarded(HTTPURLResponse)
    /// The last byte of a response has arrived, with these trailer fields, and these that are not allowed as such.
    case responseOver(trailers: HeaderFields, discarded: HeaderFields)
    /// Something happened on the WebSocket that the connection has become.
    case webSocket(WebSocketEvent)
    /// The attempt is over: what it has come to, and why another follows, or none does.
    case attemptOver(AttemptMetrics)

    // Questions to the delegate. An observer gets them closed: its answer has no effect.

    /// The session's policies have evaluated the server of a connection that is opened for the task.
    indirect case serverTrust(ServerTrustChallenge, ServerTrustQuestion)
    /// The request is sent again after a delay, unless the delegate refuses.
    indirect case willRetry(RetryMetrics, DelegateQuestion<RetryAnswer>)
    /// The response is a redirect, and this is the next request.
    indirect case redirect(HTTPURLResponse, URLRequest, DelegateQuestion<RedirectAnswer>)
    /// The server requests credentials.
    indirect case challenge(AuthenticationChallenge, DelegateQuestion<ChallengeAnswer>)
    /// The request must be sent again, and its content can be read only once and has been read.
    case newBody(DelegateQuestion<BodyAnswer>)
    /// The response is the answer.
    case response(HTTPURLResponse, DelegateQuestion<ResponseAnswer>)
    /// The response is complete, and is to be stored.
    indirect case willCache(CacheQuestion)
    /// The delegate has answered the last question of the task but those about trust and the cache.
    case answered(TaskAnswer)
    /// The task makes this retry.
    indirect case retrying(RetryMetrics)
}

/// What a task, or an attempt of it, waits for. Metrics and charts have it as `rawValue`.
public enum TaskWait: String, Sendable, Hashable {
    /// The rate of requests that the session is limited to: ``SessionConfiguration/rateLimit``.
    case rate
    /// A connection, while none is being opened for the attempt: those of the route are all in use.
    case connection
    /// A network that leads to the server.
    case connectivity
    /// What a response source or a policy looks up: a file of the cache, a token.
    case lookUp = "lookup"
    /// The delay before a retry.
    case delay
}

/// What a delegate has answered to a question of its task.
public enum TaskAnswer: Sendable, Hashable {
    /// To a redirect: follow it.
    case follow
    /// To a redirect or a challenge: the response is the answer.
    case deliver
    /// To a challenge: send the request again with a credential.
    case authenticate
    /// To a challenge: what is usual.
    case performDefaultHandling
    /// To a retry.
    case retry
    /// To a retry: the response is the answer, or the failure ends the task.
    case doNotRetry
    /// To the request for new content: here it is.
    case content
    /// To the request for new content: there is none.
    case noContent
    /// To the head of the response: deliver its body.
    case allow
    /// To the head of the response: a download takes over.
    case becomeDownload
    /// To the head of the response: another request is sent instead.
    case instead
    /// To any question: cancel the task.
    case cancel
    /// None: the task has ended before.
    case none
}

extension TaskEvent {
    /// Whether a ``SessionTaskDelegate`` is told it.
    public var isForDelegates: Bool {
        switch self {
        case .waitingForConnectivity, .willSend, .sentBodyData, .informational, .discarded, .serverTrust, .willRetry,
            .redirect, .challenge, .newBody, .response, .willCache, .completed:
            true
        case .responseOver(let trailers, let discarded): !trailers.isEmpty || !discarded.isEmpty
        case .started, .waiting, .waited, .hopBegan, .prepared, .head, .hopOver, .attemptBegan, .connecting,
            .connectionFailed, .webSocket, .attemptOver, .answered, .retrying:
            false
        }
    }
}

extension TaskEvent {
    /// The same, and an answer to the question in it has no effect.
    var closed: TaskEvent {
        switch self {
        case .serverTrust(let challenge, _): .serverTrust(challenge, ServerTrustQuestion { _ in })
        case .willRetry(let retry, let question): .willRetry(retry, question.closed)
        case .redirect(let response, let request, let question): .redirect(response, request, question.closed)
        case .challenge(let challenge, let question): .challenge(challenge, question.closed)
        case .newBody(let question): .newBody(question.closed)
        case .response(let response, let question): .response(response, question.closed)
        case .willCache(let question): .willCache(CacheQuestion(proposal: question.proposal) { _ in })
        default: self
        }
    }
}

extension TaskEvent {
    /// The event in one or two words, such as `attempt-over`: the same for all events of a kind, and nothing of a request or
    /// a response.
    public var name: String {
        switch self {
        case .started: "started"
        case .waiting: "waiting"
        case .waited: "waited"
        case .waitingForConnectivity: "waiting-for-connectivity"
        case .completed: "completed"
        case .hopBegan: "hop-began"
        case .prepared: "prepared"
        case .head: "head"
        case .hopOver: "hop-over"
        case .attemptBegan: "attempt-began"
        case .connecting(let step): step.name
        case .connectionFailed: "connection-failed"
        case .willSend: "will-send"
        case .sentBodyData: "sent-body-data"
        case .informational: "informational"
        case .discarded: "discarded"
        case .responseOver: "response-over"
        case .webSocket(.sent): "message-sent"
        case .webSocket(.received): "message-received"
        case .webSocket(.closed): "web-socket-closed"
        case .attemptOver: "attempt-over"
        case .serverTrust: "server-trust"
        case .willRetry: "will-retry"
        case .redirect: "redirect"
        case .challenge: "challenge"
        case .newBody: "new-body"
        case .response: "response"
        case .willCache: "will-cache"
        case .answered: "answered"
        case .retrying: "retrying"
        }
    }
}
