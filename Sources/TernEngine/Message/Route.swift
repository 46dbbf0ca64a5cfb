// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// Which connections may carry a request: the key of the pools.
///
/// Trust is not part of it. Every connection carries the generation of the policies its server was evaluated by, and
/// one of an older generation carries no new request.
struct Route: Sendable {
    /// What a connection is opened to.
    enum Endpoint {
        /// A host and port: of the origin, or of the server that passes on to it.
        case host(HTTPOrigin)
        /// A Unix domain socket, whatever the origin.
        case socket(UnixSocketName)
    }

    // Made and compared for every request, so it holds the origin once.
    private let origin: HTTPOrigin
    private let socket: UnixSocketName?
    private let settings: RouteSettings?

    /// Straight to `origin`: to its host and port, or to the socket at which it is said to be. `settings` say
    /// otherwise; a socket is connected to in any case.
    init(to origin: HTTPOrigin, at socket: UnixSocketName? = nil, _ settings: RouteSettings? = nil) {
        self.origin = origin
        self.socket = socket
        self.settings = settings
    }

    var endpoint: Endpoint { if let socket { .socket(socket) } else { .host(settings?.via ?? origin) } }

    /// The servers that TLS is spoken with, in the order of their handshakes: each handshake is in the layer of the one
    /// before. Empty for plain connections.
    var secured: [HTTPOrigin] {
        let via = socket == nil ? settings?.via : nil
        return [via, origin].compactMap { $0?.scheme == .https ? $0 : nil }
    }

    /// What the local end of a connection is bound to; nil for what the kernel chooses.
    var localAddress: TransportAddress? { socket == nil ? settings?.localAddress : nil }

    /// Where the route leads to, if that is an address already.
    var address: TransportAddress? {
        switch endpoint {
        case .host(let origin): TransportAddress(literal: origin.host, port: origin.port)
        case .socket(let name): .unix(name)
        }
    }

    private var isSecured: Bool { origin.scheme == .https }
}

extension Route: Hashable {
    /// Behind a socket any plain connection serves, whatever the origin.
    static func == (left: Route, right: Route) -> Bool {
        guard left.socket != nil || right.socket != nil else {
            return left.origin == right.origin && (left.settings === right.settings || left.settings == right.settings)
        }
        return left.socket == right.socket && left.isSecured == right.isSecured
            && (!left.isSecured || left.origin == right.origin)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(socket)
        if socket == nil { hasher.combine(settings) }
        if socket == nil || isSecured { hasher.combine(origin) }
    }
}
