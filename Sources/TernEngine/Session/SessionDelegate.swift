// SPDX-License-Identifier: Apache-2.0

/// Receives what happens to a session, and to those of its tasks that have no delegate of their own. Held by its session until that
/// is invalidated, or gone.
public protocol SessionDelegate: SessionTaskDelegate {
    /// A task was made that this delegate is told of. It has not been started, and the session does not hold it before it is. On the
    /// thread that makes it.
    func session(_ session: Session, didCreate task: SessionTask)
    /// After `finishTasksAndInvalidate()` or `invalidateAndCancel()`, when the last task has ended: nothing more will be told. On a
    /// reactor's thread, or on the one that invalidates if there was nothing to wait for.
    func sessionDidBecomeInvalid(_ session: Session)
}

extension SessionDelegate {
    /// Does nothing.
    public func session(_ session: Session, didCreate task: SessionTask) {}
    /// Does nothing.
    public func sessionDidBecomeInvalid(_ session: Session) {}
}
