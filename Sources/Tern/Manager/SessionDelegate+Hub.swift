// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernLock

extension SessionDelegate: TaskHub {
    var isConcerned: Bool { interception.hasRetrier || isOverridden }

    var newStream: (@Sendable (Session, SessionTask) -> InputStream?)? { self[\.bodyStream] }

    func deliverCompletion(of task: SessionTask, _ error: (any Error)?) {
        guard let closure = self[\.completion], let session = attachment.withLock({ $0.session }) else { return }
        closure(session, task, error)
    }

    func deliver(_ event: TaskEvent, of task: SessionTask, in session: Session) {
        switch event {
        case .response(let response, let question):
            guard let task = task as? SessionDataTask else { return question.answer(.allow) }
            urlSession(session, dataTask: task, didReceive: response) { question.answer($0) }
        case .data(let data):
            if let task = task as? SessionDataTask { urlSession(session, dataTask: task, didReceive: data) }
        case .sent(let count, let total, let expected):
            urlSession(
                session, task: task, didSendBodyData: count, totalBytesSent: total, totalBytesExpectedToSend: expected)
        case .redirect(let response, let request, let question):
            urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: request) {
                question.answer($0.map { .follow($0) } ?? .deliver)
            }
        case .challenge(let asked, let question):
            let challenge = Challenge(asked)
            urlSession(session, task: task, didReceive: challenge) { question.answer($0, $1, task) }
        case .serverTrust(let asked, let question):
            urlSession(session, task: task, didReceive: Challenge(asked)) { question.answer($0, $1) }
        case .content(let question):
            urlSession(session, task: task, needNewBodyStream: { question.answer(.stream($0)) })
        case .became(let download):
            if let task = task as? SessionDataTask { urlSession(session, dataTask: task, didBecome: download) }
            registry.remove(task)
        case .download(let task, let event): deliver(event, of: task, in: session)
        case .completion(let error, let metrics):
            if let metrics { urlSession(session, task: task, didFinishCollecting: metrics) }
            urlSession(session, task: task, didCompleteWithError: error)
        }
    }

    func deliver(_ event: StreamEvent, of task: StreamTask, in session: Session) {
        switch event {
        case .readClosed: urlSession(session, readClosedFor: task)
        case .writeClosed: urlSession(session, writeClosedFor: task)
        }
    }

    private func deliver(_ event: DownloadEvent, of task: SessionDownloadTask, in session: Session) {
        switch event {
        case .resumed(let offset, let total):
            urlSession(session, downloadTask: task, didResumeAtOffset: offset, expectedTotalBytes: total)
        case .wrote(let count, let total, let expected):
            urlSession(
                session, downloadTask: task, didWriteData: count, totalBytesWritten: total,
                totalBytesExpectedToWrite: expected)
        case .arrived(let location):
            urlSession(session, downloadTask: task, didFinishDownloadingTo: location)
        }
    }
}

extension BodyAnswer {
    fileprivate static func stream(_ stream: InputStream?) -> BodyAnswer {
        guard let stream else { return .unavailable }
        // The closure hands the stream over.
        nonisolated(unsafe) let brought = stream
        return unsafe .content(.inputStream(brought))
    }
}
