// SPDX-License-Identifier: Apache-2.0
package import Foundation
package import TernEngine

// The default handling of events without a closure.
extension SessionDelegate {
    /// Adds bytes to the body that the task's request collects.
    package func collect(_ data: Data, of task: SessionTask) {
        self[task]?.delegate.receive(data.span, of: task)
    }

    /// Answers with the closure or credential of the task's request; without a request, asks the session's closures.
    func answerByDefault(
        _ challenge: Challenge, of task: SessionTask, in session: Session,
        _ completionHandler: @escaping ChallengeCompletion
    ) {
        guard let delegate = self[task]?.delegate else {
            // The session's closures have evaluated the server before.
            let isAboutTrust = challenge.protectionSpace.authenticationMethod == .serverTrust
            if isAboutTrust { return completionHandler(.performDefaultHandling, nil) }
            return urlSession(session, didReceive: challenge, completionHandler: completionHandler)
        }
        guard let (disposition, credential) = delegate.taskDidReceiveChallenge?(session, task, challenge) else {
            return delegate.answerByDefault(challenge, completionHandler)
        }
        completionHandler(disposition, credential)
    }

    /// Moves a complete file to the destination of the task's request.
    func deliver(_ location: URL, of task: SessionDownloadTask) {
        guard let delegate = self[task]?.delegate else { return }
        delegate.take(.finished(location), of: task)
        delegate.deliverBody()
    }

    /// Updates the upload progress of the task's request.
    package func report(sent count: Int64, total: Int64, expected: Int64, of task: SessionTask) {
        self[task]?.delegate.sent(count, total: total, expected: expected, of: task)
    }

    /// Updates the progress of the task's request with bytes that were written to its file.
    package func report(written count: Int64, total: Int64, expected: Int64, of task: SessionDownloadTask) {
        self[task]?.delegate.take(.wrote(count, total: total, expected: expected), of: task)
    }

    /// Updates the progress of the task's request with the offset at which the download resumes.
    package func report(resumedAt offset: Int64, total: Int64, of task: SessionDownloadTask) {
        self[task]?.delegate.take(.resumed(at: offset, expected: total), of: task)
    }
}
