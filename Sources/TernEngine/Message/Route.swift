// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// Which connections may carry a request: the key of the pools.
///
/// Trust is not part of it. Every connection carries the generation of the policies its server was judged by, and one
/// of an older generation carries no new request.
struct Route: Sendable {
    /// Where a connection leads to.
    enum Endpoint {
        /// The host and port of an origin.
        case host(HTTPOrigin)
        /// A Unix domain socket, whatever the origin.
        case socket(UnixSocketName)
    }

    // Made and compared for every request, so it holds the origin once.
    private let origin: HTTPOrigin
    private let socket: UnixSocketName?

    /// Straight to `origin`: to its host and port, or to the socket at which it is said to be.
    init(to origin: HTTPOrigin, at socket: UnixSocketName? = nil) {
        self.origin = origin
        self.socket = socket
    }

    var endpoint: Endpoint { if let socket { .socket(socket) } else { .host(origin) } }

    /// Whose server is spoken to over TLS; nil for plain connections.
    var secured: HTTPOrigin? { isSecured ? origin : nil }

    private var isSecured: Bool { origin.scheme == .https }

    /// Where the route leads to, if that is an address already.
    var address: TransportAddress? {
        switch endpoint {
        case .host(let origin): TransportAddress(literal: origin.host, port: origin.port)
        case .socket(let name): .unix(name)
        }
    }
}

extension Route: Hashable {
    /// Behind a socket any plain connection serves, whatever the origin.
    static func == (left: Route, right: Route) -> Bool {
        guard left.socket != nil || right.socket != nil else { return left.origin == right.origin }
        return left.socket == right.socket && left.isSecured == right.isSecured
            && (!left.isSecured || left.origin == right.origin)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(socket)
        if socket == nil || isSecured { hasher.combine(origin) }
    }
}
