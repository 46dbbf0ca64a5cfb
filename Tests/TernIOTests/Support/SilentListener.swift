// SPDX-License-Identifier: Apache-2.0
import Glibc

@testable import TernIO

/// An address on the loopback that never answers: its backlog is full, so the kernel drops every SYN.
final class SilentListener: Sendable {
    private let listener: Listener
    private let filling: [Listener.Holder]

    var address: TransportAddress { listener.address }
    /// The connections that fill the backlog.
    var connections: Int { filling.count }

    init(_ host: String = "127.0.0.1") throws {
        let listener = try Listener(host, backlog: 0)
        self.listener = listener
        var filling: [Listener.Holder] = []
        while filling.count < 8 {
            let socket = try Socket.connecting(to: listener.address)
            let raw = socket.descriptor.rawValue
            filling.append(Listener.Holder(descriptor: Descriptor(owning: dup(raw))))
            var entry = pollfd(fd: raw, events: Int16(POLLOUT), revents: 0)
            if unsafe poll(&entry, 1, 100) == 0 { break }
        }
        self.filling = filling
    }
}
