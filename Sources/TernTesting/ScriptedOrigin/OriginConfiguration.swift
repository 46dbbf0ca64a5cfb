// SPDX-License-Identifier: Apache-2.0

/// The address that an origin listens on, the sizes of its sockets and memory, and what goes wrong by rule.
public struct OriginConfiguration: Sendable {
    /// A loopback address.
    public enum Address: Sendable {
        /// 127.0.0.1
        case ipv4
        /// ::1
        case ipv6
        /// A Unix domain socket. The file exists for as long as the origin listens, and must not exist before.
        case unix(path: String)
        /// A Unix domain socket with a name in Linux's abstract namespace, which has no file.
        case abstract(name: String)
    }

    /// The address that the origin listens on; other machines cannot reach it.
    public var address = Address.ipv4
    /// 0 lets the kernel choose. Ignored for a Unix domain socket.
    public var port: UInt16 = 0
    /// The size of the kernel's receive buffer of each connection (SO_RCVBUF); nil for the default.
    public var receiveBufferSize: Int32?
    /// The minimum number of the latest requests that ``OriginObservations/requests`` keeps, and of the latest frames and
    /// messages of each ``ReceivedWebSocket``; all are counted.
    public var rememberedRequests = 10_000
    /// What goes wrong by rule, whatever the script says; nothing by default.
    public var faults: [OriginFault] = []

    /// 127.0.0.1, on a port that the kernel chooses.
    public init() {}
}

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

/// Why a ``ScriptedOrigin`` could not be created.
public enum ScriptedOriginError: Error, Equatable {
    /// The named system call failed; the value is `errno`.
    case system(call: String, errno: Int32)
    /// OpenSSL failed in the named step; `reason` is the text of its error queue.
    case tls(step: String, reason: String)
}
