// SPDX-License-Identifier: Apache-2.0
import TernIO

extension ProxyProtocol {
    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]

    /// The header for a connection between these addresses, which HAProxy's specification defines (§2.1, §2.2). Without a
    /// pair of IP addresses of one family it says that there are none.
    func header(from source: TransportAddress?, to destination: TransportAddress?) -> [UInt8] {
        guard case .ip(let source, let sourcePort)? = source, case .ip(let target, let targetPort)? = destination,
            source.isIPv6 == target.isIPv6
        else {
            return self == .v1 ? Array("PROXY UNKNOWN\r\n".utf8) : Self.signature + [0x20, 0x00, 0x00, 0x00]
        }
        switch self {
        case .v1:
            let family = source.isIPv6 ? "TCP6" : "TCP4"
            return Array("PROXY \(family) \(source) \(target) \(sourcePort) \(targetPort)\r\n".utf8)
        case .v2:
            let addresses = source.bytes + target.bytes + Self.bytes(sourcePort) + Self.bytes(targetPort)
            return Self.signature + [0x21, source.isIPv6 ? 0x21 : 0x11] + Self.bytes(UInt16(addresses.count))
                + addresses
        }
    }

    private static func bytes(_ number: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }
}
