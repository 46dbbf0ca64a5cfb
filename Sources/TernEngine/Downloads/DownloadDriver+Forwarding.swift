// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import TernLock

// Forwarded events
extension DownloadDriver {
    var answersServerTrustChallenges: Bool { delegate?.answersServerTrustChallenges ?? false }

    func task(_ task: SessionTask, didReceive challenge: ServerTrustChallenge, _ question: ServerTrustQuestion) {
        guard let delegate else { return question.answer(.performDefaultHandling) }
        delegate.task(task, didReceive: challenge, question)
    }

    func task(_ task: SessionTask, willSendOn connection: ConnectionMetrics) {
        delegate?.task(task, willSendOn: connection)
    }

    func task(
        _ task: SessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        delegate?.task(
            task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend)
    }

    func task(_ task: SessionTask, didReceiveInformational response: HTTPURLResponse) {
        delegate?.task(task, didReceiveInformational: response)
    }

    func task(
        _ task: SessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        _ question: DelegateQuestion<RedirectAnswer>
    ) {
        delegate?.task(task, willPerformHTTPRedirection: response, newRequest: request, question)
    }

    func task(
        _ task: SessionTask, didReceive challenge: AuthenticationChallenge,
        _ question: DelegateQuestion<ChallengeAnswer>
    ) {
        delegate?.task(task, didReceive: challenge, question)
    }

    func task(_ task: SessionTask, needsNewBody question: DelegateQuestion<BodyAnswer>) {
        delegate?.task(task, needsNewBody: question)
    }

    func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {
        delegate?.task(task, didReceiveTrailers: trailers)
    }

    func task(_ task: SessionTask, didDiscardTrailers discarded: HeaderFields) {
        delegate?.task(task, didDiscardTrailers: discarded)
    }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        delegate?.task(task, didCompleteWith: error)
    }
}
