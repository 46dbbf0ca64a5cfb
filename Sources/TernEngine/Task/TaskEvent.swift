// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1

/// An event of a task, or a question to its delegate, as one value. Who stands between a task and a delegate passes it on
/// whole, with ``SessionTaskDelegate/handle(_:of:)``, and can leave none out.
///
/// The bytes of a body are no event: they are valid only while `task(_:didReceive:)` runs.
public enum TaskEvent: Sendable {
    /// The session's policies have evaluated the server of a connection that is opened for the task.
    indirect case serverTrust(ServerTrustChallenge, ServerTrustQuestion)
    /// The request is about to be sent on this connection.
    case willSend(on: ConnectionMetrics)
    /// More of the request's content was passed to the kernel.
    case sentBodyData(Int64, total: Int64, expected: Int64)
    /// A 1xx response other than 101.
    case informational(HTTPURLResponse)
    /// The response is a redirect, and this is the next request.
    indirect case redirect(HTTPURLResponse, URLRequest, DelegateQuestion<RedirectAnswer>)
    /// The server requests credentials.
    indirect case challenge(AuthenticationChallenge, DelegateQuestion<ChallengeAnswer>)
    /// The request must be sent again, and its content can be read only once and has been read.
    case newBody(DelegateQuestion<BodyAnswer>)
    /// A final response that is not the answer.
    case discarded(HTTPURLResponse)
    /// The head of the final response.
    case response(HTTPURLResponse, DelegateQuestion<ResponseAnswer>)
    /// The trailer fields.
    case trailers(HeaderFields)
    /// The trailer fields that are not allowed as trailers.
    case discardedTrailers(HeaderFields)
    /// The end.
    case completed(SessionError?)
}

extension SessionTaskDelegate {
    /// Calls the method of the event.
    public func handle(_ event: TaskEvent, of task: SessionTask) {
        switch event {
        case .serverTrust(let challenge, let question): self.task(task, didReceive: challenge, question)
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
        case .trailers(let trailers): self.task(task, didReceiveTrailers: trailers)
        case .discardedTrailers(let discarded): self.task(task, didDiscardTrailers: discarded)
        case .completed(let error): self.task(task, didCompleteWith: error)
        }
    }
}
