// SPDX-License-Identifier: Apache-2.0

/// Receives what happens to a session, and to those of its tasks that have no delegate of their own. Held by its session until that
/// is invalidated, or gone.
public protocol SessionDelegate: SessionTaskDelegate {
    /// After `finishTasksAndInvalidate()` or `invalidateAndCancel()`, when the last task has ended: nothing more will be told. On a
    /// reactor's thread, or on the one that invalidates if there was nothing to wait for.
    func sessionDidBecomeInvalid(_ session: Session)
}

extension SessionDelegate {
    /// Does nothing.
    public func sessionDidBecomeInvalid(_ session: Session) {}
}
