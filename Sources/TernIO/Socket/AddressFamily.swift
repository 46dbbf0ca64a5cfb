// SPDX-License-Identifier: Apache-2.0
import TernLibC

/// The addresses that connections may use: of IPv4, of IPv6, or of both.
public enum AddressFamily: String, Sendable, Hashable, CaseIterable {
    /// Both, in the resolver's order.
    case any
    /// Those of IPv4 only.
    case ipv4
    /// Those of IPv6 only.
    case ipv6

    /// Whether the address is of the family.
    package func includes(_ address: IPAddress) -> Bool {
        switch self {
        case .any: true
        case .ipv4: !address.isIPv6
        case .ipv6: address.isIPv6
        }
    }

    /// For getaddrinfo(3).
    var hint: Int32 {
        switch self {
        case .any: AF_UNSPEC
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        }
    }
}
