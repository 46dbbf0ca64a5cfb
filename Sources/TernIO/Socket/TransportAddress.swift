// SPDX-License-Identifier: Apache-2.0

/// The address that a socket connects to.
public enum TransportAddress: Sendable, Hashable, CustomStringConvertible {
    /// A TCP port, in the machine's byte order, at an IP address.
    case ip(IPAddress, port: UInt16)
    /// A Unix domain socket of this machine.
    case unix(UnixSocketName)

    /// Parses an IP literal: dotted IPv4, or IPv6 without brackets. Nil for any other text.
    public init?(literal: String, port: UInt16) {
        guard let address = IPAddress(literal: literal) else { return nil }
        self = .ip(address, port: port)
    }

    /// "127.0.0.1:80", "[::1]:443", "unix:/run/web.sock", or "unix:@web" for a name in the abstract space.
    public var description: String {
        switch self {
        case .ip(let address, let port): address.isIPv6 ? "[\(address)]:\(port)" : "\(address):\(port)"
        case .unix(let name): "unix:\(name)"
        }
    }

    /// The IP address alone, without brackets. Nil for Unix domain sockets.
    public var host: String? {
        switch self {
        case .ip(let address, _): address.description
        case .unix: nil
        }
    }

    /// The TCP port, in the machine's byte order. Nil for Unix domain sockets.
    public var port: UInt16? {
        switch self {
        case .ip(_, let port): port
        case .unix: nil
        }
    }

    var isIPv6: Bool {
        switch self {
        case .ip(let address, _): address.isIPv6
        case .unix: false
        }
    }
}
