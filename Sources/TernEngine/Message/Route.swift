// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// The connections that may carry a request: the key of the pools.
///
/// Trust is not part of it. Every connection has the generation of the policies that evaluated its server, and one of
/// an older generation carries no new request.
struct Route: Sendable {
    /// What a connection is opened to.
    enum Endpoint {
        /// A host and port: of the origin, or of the server that passes on to it.
        case host(HTTPOrigin)
        /// A Unix domain socket, whatever the origin.
        case socket(UnixSocketName)
    }

    // Created and compared for every request, so it stores the origin once.
    private let origin: HTTPOrigin
    private let socket: UnixSocketName?
    private let settings: RouteSettings?

    /// A direct route to `origin`: to its host and port, or to a socket. `settings` override it; a socket is connected
    /// to in any case.
    init(to origin: HTTPOrigin, at socket: UnixSocketName? = nil, _ settings: RouteSettings? = nil) {
        self.origin = origin
        self.socket = socket
        self.settings = settings
    }

    var endpoint: Endpoint { if let socket { .socket(socket) } else { .host(settings?.via ?? origin) } }

    /// The servers of the TLS handshakes, in order: each handshake runs inside the layer of the previous one. Empty for
    /// plain connections.
    var secured: [HTTPOrigin] {
        let via = socket == nil ? settings?.via : nil
        return [via, origin].compactMap { $0?.scheme == .https ? $0 : nil }
    }

    /// The local address that a connection is bound to; nil to let the kernel choose.
    var localAddress: TransportAddress? { socket == nil ? settings?.localAddress : nil }

    /// The address that the route leads to, if it has one already.
    var address: TransportAddress? {
        switch endpoint {
        case .host(let origin): TransportAddress(literal: origin.host, port: origin.port)
        case .socket(let name): .unix(name)
        }
    }

    private var isSecured: Bool { origin.scheme == .https }
}

extension Route: Hashable {
    /// Behind a socket any plain connection serves every origin.
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
