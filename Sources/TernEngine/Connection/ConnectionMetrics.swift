// SPDX-License-Identifier: Apache-2.0
public import TernIO
public import TernTLS

/// What is known about a connection; one object for all tasks that use it.
public final class ConnectionMetrics: Sendable {
    /// The address that was connected to.
    public let remoteAddress: TransportAddress
    /// The address of our end; nil over a Unix domain socket, where clients have no name.
    public let localAddress: TransportAddress?
    /// Nil on plain connections.
    public let tls: TLSInfo?
    /// SPKI pins of the verified chain, leaf to root, as `sha256/…`; empty on plain connections.
    public var publicKeyPins: [String] { verifiedChain.map(\.publicKey.pin) }
    private let verifiedChain: [X509Certificate]
    /// Why the session's policies refused a server that a delegate accepted all the same; nil for every other
    /// connection. Such a connection carried one request.
    public var overriddenTrustFailure: TrustFailure? { overridden?.overridden }
    private let overridden: ServerTrustResult?
    /// When it was decided to open the connection, and when each step towards it ended.
    public let start: MonotonicInstant
    /// The host name had become addresses.
    public let resolved: MonotonicInstant
    /// The TCP connection stood.
    public let connected: MonotonicInstant
    /// Nil on plain connections.
    public let secured: MonotonicInstant?

    init(
        remoteAddress: TransportAddress, localAddress: TransportAddress?, tls: TLSInfo?, trust: ServerTrustResult?,
        start: MonotonicInstant, resolved: MonotonicInstant, connected: MonotonicInstant, secured: MonotonicInstant?
    ) {
        self.remoteAddress = remoteAddress
        self.localAddress = localAddress
        self.tls = tls
        verifiedChain = trust?.verifiedChain ?? []
        overridden = trust?.overridden == nil ? nil : trust
        self.start = start
        self.resolved = resolved
        self.connected = connected
        self.secured = secured
    }
}
