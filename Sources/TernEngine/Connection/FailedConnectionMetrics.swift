// SPDX-License-Identifier: Apache-2.0
package import TernHTTP1
public import TernIO

/// The metrics of a connection that was not opened: of the steps of opening it that ended before it failed, or was given
/// up.
public final class FailedConnectionMetrics: Sendable {
    /// The peer's address; nil if the connection was not established.
    public let remoteAddress: TransportAddress?
    /// What was being done.
    public let phase: SessionError.Phase
    /// When the connection was requested.
    public let start: MonotonicInstant
    /// When the host name was resolved; nil if it was not.
    public let resolved: MonotonicInstant?
    /// When the connection was established; nil if it was not.
    public let connected: MonotonicInstant?
    /// The final heads of the proxies' answers to CONNECT, the refusing one included.
    package let connectHeads: [ResponseHead]

    init(
        remoteAddress: TransportAddress?, phase: SessionError.Phase, start: MonotonicInstant,
        resolved: MonotonicInstant?, connected: MonotonicInstant?,
        connectHeads: [ResponseHead] = []
    ) {
        self.connectHeads = connectHeads
        self.remoteAddress = remoteAddress
        self.phase = phase
        self.start = start
        self.resolved = resolved
        self.connected = connected
    }
}
