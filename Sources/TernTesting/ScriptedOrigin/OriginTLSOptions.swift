// SPDX-License-Identifier: Apache-2.0

/// How the origin speaks TLS; by default both living versions, session tickets, no client certificate.
public struct OriginTLSOptions: Sendable {
    /// A protocol version the origin can be limited to.
    public enum Version: Sendable {
        /// TLS 1.2
        case tls12
        /// TLS 1.3
        case tls13

        var number: Int { self == .tls12 ? 0x0303 : 0x0304 }
    }

    /// What to do about a certificate of the client; the associated PEM holds the authorities that may have issued
    /// it.
    public enum ClientCertificates: Sendable {
        /// None is asked for.
        case ignored
        /// One is asked for, and verified if it comes.
        case requested(authorityPEM: String)
        /// The handshake fails without a good one.
        case required(authorityPEM: String)
    }

    /// The oldest version the origin agrees to.
    public var minimumVersion = Version.tls12
    /// The newest version the origin agrees to.
    public var maximumVersion = Version.tls13
    /// What the origin accepts of the client's ALPN offer, best first; empty ignores the offer.
    public var applicationProtocols: [String] = ["http/1.1"]
    /// Tickets sent after a full TLS 1.3 handshake; 0 turns resumption off, in TLS 1.2 as well.
    public var sessionTickets = 2
    /// The 80 bytes that tickets are sealed with: two origins with the same ones resume each other's sessions.
    /// Empty lets OpenSSL make them up, anew for every identity.
    public var ticketKeys: [UInt8] = []
    /// What the origin asks of the client.
    public var clientCertificates = ClientCertificates.ignored

    /// Both versions, two tickets, no client certificate.
    public init() {}

    /// Limits the origin to one version.
    public static func only(_ version: Version) -> Self {
        var options = Self()
        options.minimumVersion = version
        options.maximumVersion = version
        return options
    }
}
