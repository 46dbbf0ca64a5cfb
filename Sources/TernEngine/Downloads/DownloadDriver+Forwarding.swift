// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import TernLock

// What is passed on
extension DownloadDriver {
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
        _ question: Question<RedirectAnswer>
    ) {
        delegate?.task(task, willPerformHTTPRedirection: response, newRequest: request, question)
    }

    func task(
        _ task: SessionTask, didReceive challenge: AuthenticationChallenge, _ question: Question<ChallengeAnswer>
    ) {
        delegate?.task(task, didReceive: challenge, question)
    }

    func task(_ task: SessionTask, needsNewContent question: Question<ContentAnswer>) {
        delegate?.task(task, needsNewContent: question)
    }

    func task(_ task: SessionTask, didReceiveTrailers trailers: HTTPFields) {
        delegate?.task(task, didReceiveTrailers: trailers)
    }

    func task(_ task: SessionTask, didDiscardTrailers discarded: HTTPFields) {
        delegate?.task(task, didDiscardTrailers: discarded)
    }

    func task(_ task: SessionTask, didCompleteWith error: EngineError?) {
        delegate?.task(task, didCompleteWith: error)
    }
}
