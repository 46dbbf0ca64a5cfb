// SPDX-License-Identifier: Apache-2.0

/// Receives what happens to a session, and to those of its tasks that have no delegate of their own. Held by its
/// session until that is invalidated, or gone.
public protocol SessionDelegate: SessionTaskDelegate {
    /// A task was made that calls this delegate. It has not been started, and the session does not hold it before it
    /// is. Called on the thread that makes the task.
    func session(_ session: Session, didCreate task: SessionTask)
    /// The session's policies have evaluated a server, and their verdict does not count yet. On a reactor's thread,
    /// before anything is sent to the server, once for each TLS connection that is opened; only if
    /// `answersServerTrustChallenges` is true.
    ///
    /// The answer holds for all tasks of the session. ``TernTLS/ServerTrustAnswer/performDefaultHandling`` leaves
    /// it to the delegate of the task the connection is opened for, and is the default.
    func session(_ session: Session, didReceive challenge: ServerTrustChallenge, _ question: ServerTrustQuestion)
    /// After `finishTasksAndInvalidate()` or `invalidateAndCancel()`, when the last task has ended: nothing more will
    /// be told. On a reactor's thread, or on the one that invalidates if there was nothing to wait for.
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
