// SPDX-License-Identifier: Apache-2.0
// Safety: the kernel receives addresses and buffers that live for the call, with their own size.
import CTernLinux
import TernLibC

/// A socket to the kernel's table of links, addresses and routes (rtnetlink(7)).
struct NetlinkSocket: ~Copyable, Sendable {
    let descriptor: Descriptor

    /// - Parameter groups: the groups of changes to receive, `RTMGRP_…`.
    init(groups: Int32 = 0) throws(SystemCallError) {
        let type = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = Descriptor(owning: try SystemCall.run(.socket) { socket(AF_NETLINK, type, NETLINK_ROUTE) })
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = UInt32(bitPattern: groups)
        let raw = descriptor.rawValue
        _ = try SystemCall.run(.bind) {
            unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(raw, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
                }
            }
        }
        self.descriptor = descriptor
    }

    /// The kernel has answered when this call returns.
    func send(_ message: [UInt8]) throws(SystemCallError) {
        let raw = descriptor.rawValue
        _ = try SystemCall.transfer(.send) { unsafe TernLibC.send(raw, message, message.count, 0) }
    }

    /// The messages of one datagram; nil if none is waiting.
    func receive() throws(SystemCallError) -> [NetlinkMessage]? {
        let raw = descriptor.rawValue
        var buffer = [UInt8](repeating: 0, count: 32 * 1024)
        switch try SystemCall.transfer(.recv, { unsafe recv(raw, &buffer, buffer.count, 0) }) {
        case .bytes(let count): return NetlinkMessage.messages(in: buffer[..<count])
        case .wouldBlock, .endOfStream: return nil
        }
    }
}
