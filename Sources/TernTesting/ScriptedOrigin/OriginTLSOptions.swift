// SPDX-License-Identifier: Apache-2.0

/// The TLS settings of the origin; by default TLS 1.2 and 1.3, session tickets, no client certificate.
public struct OriginTLSOptions: Sendable {
    /// A protocol version that the origin can be limited to.
    public enum Version: Sendable {
        /// TLS 1.2
        case tls12
        /// TLS 1.3
        case tls13

        var number: Int { self == .tls12 ? 0x0303 : 0x0304 }
    }

    /// The handling of a client certificate; the associated PEM has the authorities that may have issued it.
    public enum ClientCertificates: Sendable {
        /// Not requested.
        case ignored
        /// Requested, and verified if it is sent.
        case requested(authorityPEM: String)
        /// Required: the handshake fails without a valid one.
        case required(authorityPEM: String)
    }

    /// The minimum version.
    public var minimumVersion = Version.tls12
    /// The maximum version.
    public var maximumVersion = Version.tls13
    /// The protocols accepted from the client's ALPN offer, best first; empty ignores the offer.
    public var applicationProtocols: [String] = ["http/1.1"]
    /// The number of tickets sent after a full TLS 1.3 handshake; 0 turns resumption off, in TLS 1.2 as well.
    public var sessionTickets = 2
    /// The 80 bytes of the ticket keys: two origins with the same ones resume each other's sessions. If empty, OpenSSL
    /// creates new ones for every identity.
    public var ticketKeys: [UInt8] = []
    /// The handling of client certificates.
    public var clientCertificates = ClientCertificates.ignored

    /// Creates options for both versions, two tickets, no client certificate.
    public init() {}

    /// Limits the origin to one version.
    public static func only(_ version: Version) -> Self {
        var options = Self()
        options.minimumVersion = version
        options.maximumVersion = version
        return options
    }
}
