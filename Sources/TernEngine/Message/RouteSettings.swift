// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// The parts of a route besides its origin. An object, so that the usual route without it stays small.
final class RouteSettings: Sendable {
    /// The Unix domain socket that the connection is opened to, whatever the origin; nil for none.
    let socket: UnixSocketName?
    /// The server that the connection is opened to, and that forwards to the origin; nil for the origin itself.
    let via: HTTPOrigin?
    /// The local address that the connection is bound to; nil to let the kernel choose.
    let localAddress: TransportAddress?

    init(socket: UnixSocketName) {
        self.socket = socket
        (via, localAddress) = (nil, nil)
    }

    init(via: HTTPOrigin? = nil, localAddress: TransportAddress? = nil) {
        socket = nil
        self.via = via
        self.localAddress = localAddress
    }
}

extension RouteSettings: Hashable {
    static func == (left: RouteSettings, right: RouteSettings) -> Bool {
        left === right
            || left.socket == right.socket && left.via == right.via && left.localAddress == right.localAddress
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(socket)
        hasher.combine(via)
        hasher.combine(localAddress)
    }
}
