// SPDX-License-Identifier: Apache-2.0

/// Receives the events of a session, and of those of its tasks that have no delegate of their own, those of async calls
/// included, but for their content. The session retains
/// it until it is invalidated or deallocated.
public protocol SessionDelegate: SessionTaskDelegate {
    /// A task was created that calls this delegate, or that an async call waits for, even if that has a delegate of its
    /// own. It has not been started, and the session does not retain it before that. Called on the
    /// thread that creates the task.
    func session(_ session: Session, didCreate task: SessionTask)
    /// The session's policies have evaluated a server, and their verdict is not in effect yet. On a reactor's thread,
    /// before anything is sent to the server, once for each TLS connection that is opened; only if
    /// `answersServerTrustChallenges` is true.
    ///
    /// The answer applies to all tasks of the session. ``TernTLS/ServerTrustAnswer/performDefaultHandling`` leaves it
    /// to the delegate of the task that the connection is opened for, and is the default.
    func session(_ session: Session, didReceive challenge: ServerTrustChallenge, _ question: ServerTrustQuestion)
    /// After `finishTasksAndInvalidate()` or `invalidateAndCancel()`, when the last task has ended: no further calls
    /// follow. On a reactor's thread, or on the one that invalidates if no task was running.
    func sessionDidBecomeInvalid(_ session: Session)
}

extension SessionDelegate {
    /// Does nothing.
    public func session(_ session: Session, didCreate task: SessionTask) {}
    /// Leaves it to the task's delegate.
    public func session(_ session: Session, didReceive challenge: ServerTrustChallenge, _ question: ServerTrustQuestion)
    {
        question.answer(.performDefaultHandling)
    }
    /// Does nothing.
    public func sessionDidBecomeInvalid(_ session: Session) {}
}
