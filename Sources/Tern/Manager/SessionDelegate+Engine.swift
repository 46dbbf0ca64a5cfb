// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine
import TernLock

// Called by the engine for tasks that were created on the session itself. They belong to no request, or to one that has
// adopted them.
extension SessionDelegate: TernEngine.SessionDelegate {
    /// Adds a task that belongs to no request.
    public func session(_ session: Session, didCreate task: SessionTask) { strays.add(task) }

    /// The session has ended.
    public func sessionDidBecomeInvalid(_ session: Session) {
        guard isOverridden, let callbacks = attachment.withLock({ $0.callbacks }) else { return }
        callbacks.post(CallbackBlock { [self] in urlSession(session, didBecomeInvalidWithError: nil) })
    }

    /// Asks the closures whether to read the body.
    public func task(
        _ task: SessionTask, didReceive response: HTTPURLResponse, _ question: DelegateQuestion<ResponseAnswer>
    ) {
        if let adopter = adopter(of: task) { return adopter.task(task, didReceive: response, question) }
        if !relay(.response(response, question), of: task) { question.answer(.allow) }
    }

    /// Calls the closure with the bytes.
    public func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        if let adopter = adopter(of: task) { return adopter.task(task, didReceive: bytes) }
        if isOverridden { _ = relay(.data(Data(copying: bytes)), of: task) }
    }

    /// Calls the closure for bytes that were sent.
    public func task(
        _ task: SessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        if let adopter = adopter(of: task) {
            return adopter.task(
                task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
                totalBytesExpectedToSend: totalBytesExpectedToSend)
        }
        _ = relay(.sent(bytesSent, total: totalBytesSent, expected: totalBytesExpectedToSend), of: task)
    }

    /// Asks the closures for the request that follows a redirect.
    public func task(
        _ task: SessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        _ question: DelegateQuestion<RedirectAnswer>
    ) {
        if let adopter = adopter(of: task) {
            return adopter.task(
                task, willPerformHTTPRedirection: response, newRequest: request, question)
        }
        if !relay(.redirect(response, request, question), of: task) { question.answer(.follow(request)) }
    }

    /// Asks the closures for credentials.
    public func task(
        _ task: SessionTask, didReceive challenge: AuthenticationChallenge,
        _ question: DelegateQuestion<ChallengeAnswer>
    ) {
        if let adopter = adopter(of: task) { return adopter.task(task, didReceive: challenge, question) }
        if !relay(.challenge(challenge, question), of: task) { question.answer(.deliver) }
    }

    /// Asks the closures for another stream.
    public func task(_ task: SessionTask, needsNewBody question: DelegateQuestion<BodyAnswer>) {
        if let adopter = adopter(of: task) { return adopter.task(task, needsNewBody: question) }
        if !relay(.content(question), of: task) { question.answer(.unavailable) }
    }

    /// Calls the closures for the end of the task.
    public func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        strays.remove(task)
        if let adopter = adopter(of: task) { return adopter.task(task, didCompleteWith: error) }
        _ = relay(.completion(error, task.metrics), of: task)
    }

    /// The delegate that receives the events of a task in place of the hub.
    fileprivate func adopter(of task: SessionTask) -> (any SessionDownloadDelegate)? {
        registry[task]?.delegate.receiver
    }

    /// Passes an event to the callback queue; returns false if no closure receives it. Waiting bytes suspend the task.
    func relay(_ event: TaskEvent, of task: SessionTask) -> Bool {
        let (callbacks, session) = attachment.withLock { ($0.callbacks, $0.session) }
        guard isOverridden, let callbacks, let session else { return false }
        let isBody = if case .data = event { true } else { false }
        if isBody { task.hold() }
        callbacks.post(
            CallbackBlock { [self] in
                deliver(event, of: task, in: session)
                if let file = event.file { try? FileManager.default.removeItem(at: file) }
                if isBody { task.release() }
            })
        return true
    }
}

// Downloads, and tasks that become one.
extension SessionDelegate: SessionDownloadDelegate {
    /// Calls the closure with the download.
    public func task(_ task: SessionTask, didBecome download: SessionDownloadTask) {
        strays.remove(task)
        if let adopter = adopter(of: task) { return adopter.task(task, didBecome: download) }
        _ = relay(.became(download), of: task)
    }

    /// Calls the closure for the offset at which the download resumes.
    public func downloadTask(
        _ task: SessionDownloadTask, didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {
        if let adopter = adopter(of: task) {
            return adopter.downloadTask(task, didResumeAtOffset: fileOffset, expectedTotalBytes: expectedTotalBytes)
        }
        _ = relay(.download(task, .resumed(at: fileOffset, of: expectedTotalBytes)), of: task)
    }

    /// Calls the closure for bytes that were written.
    public func downloadTask(
        _ task: SessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        if let adopter = adopter(of: task) {
            return adopter.downloadTask(
                task, didWriteData: bytesWritten, totalBytesWritten: totalBytesWritten,
                totalBytesExpectedToWrite: totalBytesExpectedToWrite)
        }
        let event = DownloadEvent.wrote(bytesWritten, total: totalBytesWritten, expected: totalBytesExpectedToWrite)
        _ = relay(.download(task, event), of: task)
    }

    /// Calls the closure with the file, which is removed afterwards.
    public func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {
        if let adopter = adopter(of: task) { return adopter.downloadTask(task, didFinishDownloadingTo: location) }
        if relay(.download(task, .arrived(location)), of: task) { task.keepFile() }
    }
}
