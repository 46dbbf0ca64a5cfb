// SPDX-License-Identifier: Apache-2.0
import Foundation
public import TernEngine
import TernLock

// For the engine, which tells of tasks that were made on the session itself: they belong to no request. Call none of these.
extension SessionDelegate: TernEngine.SessionDelegate {
    /// The session has ended.
    public func sessionDidBecomeInvalid(_ session: Session) {
        guard isOverridden, let callbacks = attachment.withLock({ $0.callbacks }) else { return }
        callbacks.post(Errand { [self] in urlSession(session, didBecomeInvalidWithError: nil) })
    }

    /// Asks the closures whether the body is wanted.
    public func task(
        _ task: SessionTask, didReceive response: HTTPURLResponse, _ question: Question<ResponseDisposition>
    ) {
        if !relay(.response(response, question), of: task) { question.answer(.allow) }
    }

    /// Tells the closures of the bytes.
    public func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        if isOverridden { _ = relay(.data(Data(copying: bytes)), of: task) }
    }

    /// Tells the closures of what was sent.
    public func task(
        _ task: SessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        _ = relay(.sent(bytesSent, total: totalBytesSent, expected: totalBytesExpectedToSend), of: task)
    }

    /// Asks the closures where to go.
    public func task(
        _ task: SessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        _ question: Question<RedirectAnswer>
    ) {
        if !relay(.redirect(response, request, question), of: task) { question.answer(.follow(request)) }
    }

    /// Asks the closures who we are.
    public func task(
        _ task: SessionTask, didReceive challenge: AuthenticationChallenge, _ question: Question<ChallengeAnswer>
    ) {
        if !relay(.challenge(challenge, question), of: task) { question.answer(.deliver) }
    }

    /// Asks the closures for another stream.
    public func task(_ task: SessionTask, needsNewContent question: Question<ContentAnswer>) {
        if !relay(.content(question), of: task) { question.answer(.unavailable) }
    }

    /// Tells the closures of the end.
    public func task(_ task: SessionTask, didCompleteWith error: EngineError?) {
        _ = relay(.completion(error, task.metrics), of: task)
    }

    /// False if nobody wants to hear of it. What waits for the queue holds the task.
    private func relay(_ event: TaskEvent, of task: SessionTask) -> Bool {
        let (callbacks, session) = attachment.withLock { ($0.callbacks, $0.session) }
        guard isOverridden, let callbacks, let session else { return false }
        let isBody = if case .data = event { true } else { false }
        if isBody { task.hold() }
        callbacks.post(
            Errand { [self] in
                deliver(event, of: task, in: session, to: nil)
                if isBody { task.release() }
            })
        return true
    }
}
