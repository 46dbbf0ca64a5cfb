// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernEngine

/// The engine's delegate protocol for a task's delegate, called on the reactor's thread. Separate from the public
/// classes, which do not show it. Any request's task may be a download, or become one.
protocol TaskDelegateAdapter: SessionDownloadDelegate, TaskDelegate {}

extension TaskDelegateAdapter {
    private var relays: Bool { isRelayed.load(ordering: .relaxed) }

    var answersServerTrustChallenges: Bool {
        context.hub.answersServerTrustChallenges || override(\.challenge) != nil
    }

    func handle(_ event: TaskEvent, of task: SessionTask) {
        switch event {
        // The two events of every request. Nobody but the request receives them unless events are relayed.
        case .response(let response, let question) where !relays:
            receive(response, of: task)
            question.answer(.allow)
        case .completed(let error) where !relays: complete(with: error)
        case .serverTrust(_, let question) where !answersServerTrustChallenges:
            question.answer(.performDefaultHandling)
        case .willRetry(_, let question) where !context.hub.answersRetries && override(\.retry) == nil:
            question.answer(.retry)
        case .serverTrust, .willRetry, .response, .completed: relay(.task(event, task))
        case _ where relays: if event.isQueued { relay(.task(event, task)) }
        case .sentBodyData(let count, let total, let expected):
            sent(count, total: total, expected: expected, of: task)
        case .challenge(let challenge, let question):
            answerByDefault(Challenge(challenge)) { question.answer($0, $1) }
        case .redirect, .newBody, .willCache: NoOpTaskDelegate.shared.handle(event, of: task)
        case .started, .waiting, .waited, .waitingForConnectivity, .hopBegan, .prepared, .head, .hopOver, .attemptBegan,
            .connecting, .connectionFailed, .willSend, .informational, .discarded, .responseOver, .webSocket,
            .attemptOver,
            .answered,
            .retrying:
            break
        }
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        if relays { relay(.body(Data(copying: bytes), task)) } else { receive(bytes, of: task) }
    }

    func handle(_ event: DownloadEvent, of download: SessionDownloadTask) {
        switch event {
        case .replaced(let task):
            context.tasks.add(download, inPlaceOf: task)
            take(event, of: download)
            // Also removes the task.
            return relay(.download(event, download))
        case .finished: download.keepFile()
        case .resumed, .wrote: break
        }
        if relays { relay(.download(event, download)) } else { take(event, of: download) }
    }

    func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {
        handle(.finished(location), of: task)
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

/// The delegate of a download request's task.
final class DownloadTaskReceiver: DownloadTaskDelegate, TaskDelegateAdapter, @unchecked Sendable {
    override var receiver: any SessionDownloadDelegate { self }
}

/// The delegate of a stream request's task.
final class StreamTaskReceiver: TaskDelegate, TaskDelegateAdapter, StreamTaskDelegate, @unchecked Sendable {
    override var receiver: any SessionDownloadDelegate { self }

    func streamTaskDidCloseRead(_ task: StreamTask) { tell(.readClosed, task) }

    func streamTaskDidCloseWrite(_ task: StreamTask) { tell(.writeClosed, task) }

    private func tell(_ event: StreamEvent, _ task: StreamTask) {
        if isRelayed.load(ordering: .relaxed) { relay(.stream(event, task)) }
    }
}

/// The delegate of a WebSocket request's task.
final class WebSocketTaskReceiver: TaskDelegate, TaskDelegateAdapter, @unchecked Sendable {
    override var receiver: any SessionDownloadDelegate { self }
}
