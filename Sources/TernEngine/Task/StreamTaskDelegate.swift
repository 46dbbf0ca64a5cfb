// SPDX-License-Identifier: Apache-2.0

/// Receives the events of a ``StreamTask``, on the reactor's thread, as URLSession's stream delegate does. The caller
/// of a read receives its data.
public protocol StreamTaskDelegate: SessionTaskDelegate {
    /// No more can be read: a read has reached the end, `closeRead()` was called, or the connection broke.
    func streamTaskDidCloseRead(_ task: StreamTask)
    /// No more can be written: the end was sent, or the connection broke.
    func streamTaskDidCloseWrite(_ task: StreamTask)
    /// The connection is open, or has been secured.
    func streamTask(_ task: StreamTask, didOpen connection: ConnectionMetrics)
}

extension StreamTaskDelegate {
    /// Does nothing.
    public func streamTaskDidCloseRead(_ task: StreamTask) {}
    /// Does nothing.
    public func streamTaskDidCloseWrite(_ task: StreamTask) {}
    /// Does nothing.
    public func streamTask(_ task: StreamTask, didOpen connection: ConnectionMetrics) {}
}

/// Takes over the connection of a request that asks for another protocol (`Upgrade`) when the server agrees (101, RFC
/// 9110 §7.8). Without such a delegate the task fails with `upgradeNotTaken`.
public protocol UpgradeDelegate: SessionTaskDelegate {
    /// The connection uses the other protocol from now on, and belongs to `stream`: keep a reference to it, or it is
    /// closed. The bytes after the server's 101 are read first. The head was delivered as any other; the task itself
    /// ends without an error after this call.
    func task(_ task: SessionTask, didBecome stream: StreamTask)
}
