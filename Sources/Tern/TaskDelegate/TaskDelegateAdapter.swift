// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernEngine

/// The engine's delegate protocol for a task's delegate, called on the reactor's thread. Separate from the public
/// classes, which do not show it. Any request's task may be a download, or become one.
protocol TaskDelegateAdapter: SessionDownloadDelegate, TaskDelegate {}

extension TaskDelegateAdapter {
    var relays: Bool { isRelayed.load(ordering: .relaxed) }

    func task(_ task: SessionTask, didReceive response: HTTPURLResponse, _ question: DelegateQuestion<ResponseAnswer>) {
        if relays { return relay(.response(response, question), of: task) }
        receive(response, of: task)
        question.answer(.allow)
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        if relays { relay(.data(Data(copying: bytes)), of: task) } else { receive(bytes, of: task) }
    }

    func task(
        _ task: SessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        if relays {
            return relay(.sent(bytesSent, total: totalBytesSent, expected: totalBytesExpectedToSend), of: task)
        }
        sent(bytesSent, total: totalBytesSent, expected: totalBytesExpectedToSend, of: task)
    }

    func task(
        _ task: SessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        _ question: DelegateQuestion<RedirectAnswer>
    ) {
        if relays { relay(.redirect(response, request, question), of: task) } else { question.answer(.follow(request)) }
    }

    func task(
        _ task: SessionTask, didReceive challenge: AuthenticationChallenge,
        _ question: DelegateQuestion<ChallengeAnswer>
    ) {
        if relays { return relay(.challenge(challenge, question), of: task) }
        let challenge = Challenge(challenge)
        answerByDefault(challenge) { question.answer($0, $1, task) }
    }

    var answersServerTrustChallenges: Bool {
        context.hub.answersServerTrustChallenges || override(\.challenge) != nil
    }

    func task(_ task: SessionTask, didReceive challenge: ServerTrustChallenge, _ question: ServerTrustQuestion) {
        guard answersServerTrustChallenges else { return question.answer(.performDefaultHandling) }
        relay(.serverTrust(challenge, question), of: task)
    }

    func task(_ task: SessionTask, needsNewBody question: DelegateQuestion<BodyAnswer>) {
        if relays { relay(.content(question), of: task) } else { question.answer(.unavailable) }
    }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        if relays {
            relay(.completion(error, task.metrics), of: task)
        } else {
            complete(with: error)
        }
    }
}

extension Data {
    init(copying bytes: Span<UInt8>) {
        // The span is valid for this call; Data copies it.
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Data($0) }
    }
}

/// The delegate of a data request's task.
final class DataTaskReceiver: DataTaskDelegate, TaskDelegateAdapter, @unchecked Sendable {
    override var receiver: any SessionDownloadDelegate { self }
}

/// The delegate of an upload request's task.
final class UploadTaskReceiver: UploadTaskDelegate, TaskDelegateAdapter, @unchecked Sendable {
    override var receiver: any SessionDownloadDelegate { self }
}
