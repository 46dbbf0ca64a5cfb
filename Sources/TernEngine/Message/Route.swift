// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// Which connections may carry a request: the key of the pools.
///
/// Trust is not part of it. Every connection carries the generation of the policies its server was judged by, and one of an
/// older generation carries no new request.
struct Route: Sendable, Hashable {
    /// Where a connection leads to.
    enum Endpoint: Sendable, Hashable {
        /// The host and port of an origin.
        case host(Origin)
        /// A Unix domain socket, whatever the origin.
        case socket(UnixSocketName)
    }

    let endpoint: Endpoint
    /// Whose server is spoken to over TLS; nil for plain connections.
    let secured: Origin?

    /// Straight to `origin`: to its host and port, or to the socket at which it is said to be.
    init(to origin: Origin, at socket: UnixSocketName? = nil) {
        endpoint = if let socket { .socket(socket) } else { .host(origin) }
        secured = origin.scheme == .https ? origin : nil
    }

    /// Where the route leads to, if that is an address already.
    var address: SocketAddress? {
        switch endpoint {
        case .host(let origin): SocketAddress(literal: origin.host, port: origin.port)
        case .socket(let name): .unix(name)
        }
    }

    func hash(into hasher: inout Hasher) {
        switch endpoint {
        // `secured` is the same where the hosts are, or there is none.
        case .host(let origin): hasher.combine(origin)
        case .socket(let name):
            hasher.combine(name)
            hasher.combine(secured)
        }
    }
}
