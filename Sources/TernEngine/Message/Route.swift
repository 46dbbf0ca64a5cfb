// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import TernTLS

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
    private let settings: RouteSettings?

    /// A route to the host and port of `origin`, unless the settings name another endpoint.
    init(to origin: HTTPOrigin, _ settings: RouteSettings? = nil) {
        self.origin = origin
        self.settings = settings
    }

    var endpoint: Endpoint {
        if let socket = settings?.socket { .socket(socket) } else { .host(settings?.via ?? origin) }
    }

    /// The servers of the TLS handshakes, in order: each handshake runs inside the layer of the previous one. Empty for
    /// plain connections.
    var secured: [HTTPOrigin] {
        [settings?.via, origin].compactMap { $0?.scheme == .https ? $0 : nil }
    }

    /// The local address that a connection is bound to; nil to let the kernel choose.
    var localAddress: TransportAddress? { settings?.localAddress }

    /// The client's certificate for a server of the route; nil for that of the session. Part of the key: a connection
    /// that was opened with one identity carries no request of another.
    func identity(for server: HTTPOrigin) -> ClientIdentity? { server == origin ? settings?.identity : nil }

    /// What the request's own policy says about connections, besides the session's; nil for nothing. Part of the key: a
    /// connection that only another policy permitted carries no request of this one.
    var egressPolicy: EgressPolicy? { settings?.egressPolicy }

    /// What the request itself says about names, besides the session; nil for nothing. Part of the key: a connection to an
    /// address that only another request names carries no request of this one.
    var names: NameRules? { settings?.names }

    /// The host and port, or the socket, that a connection is opened to by these rules.
    func endpoint(_ names: NameRules?) -> Endpoint {
        guard let names, case .host = endpoint, !isForwarded else { return endpoint }
        return .host(names.endpoint(for: origin))
    }

    /// The same route to the addresses of earlier hops, if the request wants that.
    func keeping(_ addresses: @autoclosure () -> [AddressOverride]) -> Route {
        guard var names = settings?.names, names.keepsAddress else { return self }
        names.keptAddresses = addresses()
        return Route(to: origin, RouteSettings(settings, names: names))
    }

    /// The origin that the connections serve.
    var server: HTTPOrigin { origin }

    /// Whether the connections are opened to another server, which connects to the origin.
    var isForwarded: Bool { settings?.via != nil }

    /// The address that the route leads to, if it has one already.
    var address: TransportAddress? {
        switch endpoint {
        case .host(let origin): TransportAddress(literal: origin.host, port: origin.port)
        case .socket(let name): .unix(name)
        }
    }

    /// Whether the connections serve every origin: plain connections to a socket do.
    private var servesAllOrigins: Bool { settings?.socket != nil && origin.scheme == .http }
}

extension Route: Hashable {
    static func == (left: Route, right: Route) -> Bool {
        guard left.settings === right.settings || left.settings == right.settings else { return false }
        return left.origin == right.origin || left.servesAllOrigins && right.servesAllOrigins
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(settings)
        if !servesAllOrigins { hasher.combine(origin) }
    }
}

/// The parts of a route besides its origin. An object, so that the usual route without it stays small.
final class RouteSettings: Sendable {
    /// The Unix domain socket that the connection is opened to, whatever the origin; nil for none.
    let socket: UnixSocketName?
    /// The server that the connection is opened to, and that forwards to the origin; nil for the origin itself.
    let via: HTTPOrigin?
    /// The local address that the connection is bound to; nil to let the kernel choose.
    let localAddress: TransportAddress?

    /// The client's certificate for the origin; nil for that of the session.
    let identity: ClientIdentity?
    /// Where the request's connections may lead, besides the session's policy; nil for everywhere.
    let egressPolicy: EgressPolicy?
    /// What the request says about names; nil for nothing.
    let names: NameRules?

    init(socket: UnixSocketName) {
        self.socket = socket
        (via, localAddress, identity, egressPolicy, names) = (nil, nil, nil, nil, nil)
    }

    init(via: HTTPOrigin? = nil, localAddress: TransportAddress? = nil) {
        socket = nil
        self.via = via
        self.localAddress = localAddress
        (identity, egressPolicy, names) = (nil, nil, nil)
    }

    /// The same settings, nil for the usual ones, with an identity.
    init(_ settings: RouteSettings?, identity: ClientIdentity) {
        (socket, via, localAddress) = (settings?.socket, settings?.via, settings?.localAddress)
        (egressPolicy, names) = (settings?.egressPolicy, settings?.names)
        self.identity = identity
    }

    /// The settings of a request, nil if it has none.
    init?(socket: UnixSocketName?, egressPolicy: EgressPolicy?, names: NameRules?) {
        if socket == nil, egressPolicy == nil, names == nil { return nil }
        (self.socket, self.egressPolicy, self.names) = (socket, egressPolicy, names)
        (via, localAddress, identity) = (nil, nil, nil)
    }

    /// The same settings with other rules about names.
    init(_ settings: RouteSettings?, names: NameRules) {
        (socket, via, localAddress) = (settings?.socket, settings?.via, settings?.localAddress)
        (identity, egressPolicy, self.names) = (settings?.identity, settings?.egressPolicy, names)
    }

    /// The settings of a request, with the session's for what it leaves to that.
    func completed(by session: RouteSettings?) -> RouteSettings {
        if session == nil || socket != nil { return self }
        return RouteSettings(session, of: self)
    }

    private init(_ session: RouteSettings?, of request: RouteSettings) {
        (socket, via, localAddress) = (session?.socket, session?.via, session?.localAddress)
        (identity, egressPolicy, names) = (session?.identity, request.egressPolicy, request.names)
    }
}

extension RouteSettings: Hashable {
    static func == (left: RouteSettings, right: RouteSettings) -> Bool {
        left === right
            || left.socket == right.socket && left.via == right.via && left.localAddress == right.localAddress
                && left.identity == right.identity && left.egressPolicy == right.egressPolicy
                && left.names == right.names
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(socket)
        hasher.combine(via)
        hasher.combine(localAddress)
        hasher.combine(identity)
        hasher.combine(egressPolicy)
        hasher.combine(names)
    }
}
