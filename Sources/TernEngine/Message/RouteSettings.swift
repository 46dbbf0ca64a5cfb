// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// What a route has besides its origin. An object, so that a route without it, which most are, stays small.
final class RouteSettings: Sendable {
    /// The server that the connection is opened to, and that passes on to the origin what it receives; nil for the
    /// origin itself.
    let via: HTTPOrigin?
    /// What the local end of the connection is bound to; nil for what the kernel chooses.
    let localAddress: TransportAddress?

    init(via: HTTPOrigin? = nil, localAddress: TransportAddress? = nil) {
        self.via = via
        self.localAddress = localAddress
    }
}

extension RouteSettings: Hashable {
    static func == (left: RouteSettings, right: RouteSettings) -> Bool {
        left === right || left.via == right.via && left.localAddress == right.localAddress
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(via)
        hasher.combine(localAddress)
    }
}
