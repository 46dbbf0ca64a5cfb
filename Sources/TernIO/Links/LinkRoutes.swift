// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC

/// Finds the link that a packet would leave by. No packet is sent: the kernel is asked for its route.
package enum LinkRoutes {
    /// Returns the name of the link that leads to `address`, if the link is up and has a carrier; nil if there is no
    /// route.
    package static func link(to address: IPAddress) throws(SystemCallError) -> String? {
        let socket = try NetlinkSocket()
        let (family, bytes) = address.familyAndBytes
        let question = [UInt8(family), UInt8(bytes.count * 8)] + [UInt8](repeating: 0, count: 10)
        let route = try ask(socket, RTM_GETROUTE, question + NetlinkMessage.attribute(Int(RTA_DST.rawValue), bytes))
        // rtmsg: family, three lengths, table, protocol, scope, and the type at 7.
        guard let route, route.payload.count >= 12, isReachable(Int(route.payload[7])),
            let index = route.attribute(Int(RTA_OIF.rawValue), behind: 12)
        else { return nil }
        return try name(of: Array(index), socket)
    }

    private static func isReachable(_ type: Int) -> Bool { type == 1 || type == 2 }  // RTN_UNICAST, RTN_LOCAL

    private static func name(of index: [UInt8], _ socket: borrowing NetlinkSocket) throws(SystemCallError) -> String? {
        // ifinfomsg: family, padding, type, index at 4, flags at 8, change.
        let question = [UInt8](repeating: 0, count: 4) + index + [UInt8](repeating: 0, count: 8)
        guard let link = try ask(socket, RTM_GETLINK, question), link.payload.count >= 16 else { return nil }
        let flags = NetlinkMessage.word(link.payload[...], 8)
        let isUp = flags & UInt32(IFF_UP) != 0 && flags & UInt32(IFF_RUNNING) != 0
        guard isUp, let name = link.attribute(Int(IFLA_IFNAME), behind: 16) else { return nil }
        return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The only message of the answer; nil if the kernel gives none.
    private static func ask(
        _ socket: borrowing NetlinkSocket, _ type: Int, _ payload: [UInt8]
    ) throws(SystemCallError) -> NetlinkMessage? {
        try socket.send(NetlinkMessage.question(type, payload))
        guard let answer = try socket.receive()?.first, answer.type != NLMSG_ERROR else { return nil }
        return answer
    }
}

extension IPAddress {
    /// The address family, and the address in network byte order.
    fileprivate var familyAndBytes: (family: Int32, bytes: [UInt8]) {
        switch storage {
        case .v4(let address): (AF_INET, NetlinkMessage.bytes(address))
        case .v6(let first, let second, _): (AF_INET6, NetlinkMessage.bytes(first) + NetlinkMessage.bytes(second))
        }
    }
}

extension SystemCallError {
    /// Whether the kernel knew no way to the address, or found no neighbour at its end.
    package var isAboutMissingPath: Bool { [ENETUNREACH, ENETDOWN, EHOSTUNREACH].contains(code) }

    /// Whether the kernel knew no way to the address.
    package var isAboutRouting: Bool { [ENETUNREACH, ENETDOWN].contains(code) }
}
