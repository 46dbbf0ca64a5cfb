// SPDX-License-Identifier: Apache-2.0
import Synchronization
package import TernHTTP1
public import TernIO
public import TernTLS

/// The metrics of a connection; one object for all tasks that use it.
public final class ConnectionMetrics: Sendable {
    /// Unique within the process: ``ConnectionObservation/connection`` names it.
    public let identifier: UInt64
    private static let nextIdentifier = Atomic<UInt64>(0)
    /// The peer's address.
    public let remoteAddress: TransportAddress
    /// The local address; nil over a Unix domain socket, where clients have no name.
    public let localAddress: TransportAddress?
    /// The proxies that lead to the origin, in the order in which they were connected to; ``remoteAddress`` is that of the
    /// first. Empty for a direct connection.
    public let proxies: [Proxy]
    /// Whether there is a proxy, with URLSession's name.
    public var isProxyConnection: Bool { !proxies.isEmpty }
    /// The final heads of the proxies' answers to CONNECT, those that asked for a login included; empty without a tunnel
    /// through an HTTP proxy.
    package let connectHeads: [ResponseHead]
    /// Nil on plain connections.
    public let tls: TLSInfo?
    /// SPKI pins of the verified chain, leaf to root, as `sha256/…`; empty on plain connections.
    public var publicKeyPins: [String] { verifiedChain.map(\.publicKey.pin) }
    /// The verdict about the server: its chain as it was verified, leaf to anchor, with names, validity and keys, the
    /// policy that accepted it, and the rule that it would have broken, if that was only reported. Of a resumed session the
    /// verdict about the chain that the server sent then, under the policies of now; nil on plain connections.
    public let serverTrust: ServerTrustResult?
    package var verifiedChain: [X509Certificate] { serverTrust?.verifiedChain ?? [] }
    /// Why the session's policies refused a server that a delegate accepted; nil for every other connection. Such a
    /// connection carried one request.
    public var overriddenTrustFailure: TrustFailure? { serverTrust?.overridden }
    /// Whether the server was trusted without any error: by a chain that was validated in full.
    let isServerValidated: Bool
    /// Whether the peer is the host of the origin, rather than another server or a socket in its place.
    let isDirect: Bool
    /// When the connection was requested, and when each step of opening it ended.
    public let start: MonotonicInstant
    /// When the host name was resolved.
    public let resolved: MonotonicInstant
    /// When the TCP connection was established.
    public let connected: MonotonicInstant
    /// Nil on plain connections.
    public let secured: MonotonicInstant?

    /// A round trip to the peer at least.
    var connectTime: Duration { max(.zero, resolved.duration(to: connected)) }

    init(
        remoteAddress: TransportAddress, localAddress: TransportAddress?, proxies: [Proxy] = [], tls: TLSInfo?,
        trust: ServerTrustResult?, start: MonotonicInstant, resolved: MonotonicInstant, connected: MonotonicInstant,
        secured: MonotonicInstant?, isDirect: Bool = false, connectHeads: [ResponseHead] = []
    ) {
        identifier = Self.nextIdentifier.wrappingAdd(1, ordering: .relaxed).newValue
        self.connectHeads = connectHeads
        self.isDirect = isDirect
        self.remoteAddress = remoteAddress
        self.localAddress = localAddress
        self.proxies = proxies
        self.tls = tls
        serverTrust = trust
        isServerValidated = trust.map { $0.isChainValidated && $0.policyVerdict == nil && $0.waived == nil } ?? false
        self.start = start
        self.resolved = resolved
        self.connected = connected
        self.secured = secured
    }
}
