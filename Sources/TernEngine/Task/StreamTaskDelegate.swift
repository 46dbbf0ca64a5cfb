// SPDX-License-Identifier: Apache-2.0

/// Receives what happens to a ``StreamTask``, on the reactor's thread, as URLSession's stream delegate does. What is
/// read goes to the caller of the read.
public protocol StreamTaskDelegate: SessionTaskDelegate {
    /// Nothing more can be read: a read has reached the end, `closeRead()` was called, or the connection broke.
    func streamTaskDidCloseRead(_ task: StreamTask)
    /// Nothing more can be written: the end was sent, or the connection broke.
    func streamTaskDidCloseWrite(_ task: StreamTask)
    /// The connection stands, or has been secured.
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
    /// The connection speaks the other protocol from now on, and is `stream`'s: hold it, or it is closed. What the
    /// server has said behind its 101 is read first. The head was told as any other; the task itself ends without an
    /// error behind this call.
    func task(_ task: SessionTask, didBecome stream: StreamTask)
}
