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
        /// A host and port: of the origin, or of the first proxy.
        case host(HTTPOrigin)
        /// A Unix domain socket, whatever the origin.
        case socket(UnixSocketName)
        /// What a dialer returns for a host and port.
        case dialer(ConnectionDialer, HTTPOrigin)
    }

    /// A tunnel through a proxy.
    struct Tunnel: Hashable {
        let proxy: Proxy
        /// Where it leads: to the next proxy, or to the end of the route.
        let target: HTTPOrigin
        /// Whether the proxy gets an address that the client has found, rather than the name.
        let isLocated: Bool

        init(proxy: Proxy, target: HTTPOrigin, isLocated: Bool = false) {
            (self.proxy, self.target) = (proxy, target)
            self.isLocated = isLocated || proxy.kind.resolvedFamily != nil
        }
    }

    /// What overrides say of the end of a tunnel.
    struct TunnelEnd: Hashable {
        /// In place of the origin's host and port.
        let target: HTTPOrigin
        /// Whether an override has its addresses.
        let isLocated: Bool
    }

    // Created and compared for every request, so it stores the origin once.
    private let origin: HTTPOrigin
    let settings: RouteSettings?

    /// A route to the host and port of `origin`, unless the settings name another endpoint.
    init(to origin: HTTPOrigin, _ settings: RouteSettings? = nil) {
        self.origin = origin
        self.settings = settings
    }

    var endpoint: Endpoint {
        let host = proxies.first?.server ?? origin
        if let dialer = settings?.dialer { return .dialer(dialer, host) }
        if let socket = settings?.socket { return .socket(socket) }
        return .host(host)
    }

    /// The Unix domain socket that the connections are opened to; nil for none.
    var socket: UnixSocketName? { settings?.socket }

    /// The proxies, in the order in which they are connected to.
    var proxies: [Proxy] { settings?.proxies ?? [] }

    /// What the last proxy connects to.
    var tunnelTarget: HTTPOrigin { settings?.parts.tunnelEnd?.target ?? origin }

    /// The tunnels of the route, in the order in which they are opened.
    var tunnels: [Tunnel] {
        let proxies = proxies
        var tunnels = zip(proxies, proxies.dropFirst()).map { Tunnel(proxy: $0, target: $1.server) }
        if isTunnelled, let last = proxies.last {
            let isLocated = settings?.parts.tunnelEnd?.isLocated ?? false
            tunnels.append(Tunnel(proxy: last, target: tunnelTarget, isLocated: isLocated))
        }
        return tunnels
    }

    /// Whether the last proxy opens a tunnel to the origin, rather than getting whole requests.
    var isTunnelled: Bool {
        guard let last = proxies.last else { return false }
        return origin.scheme == .https || settings?.isTunnelled == true || !last.kind.isHTTP || last.tunnelsAll
    }

    /// Whether the last proxy gets whole requests.
    var isToProxy: Bool { settings != nil && !proxies.isEmpty && !isTunnelled }

    /// The PROXY protocol that the origin gets; nil for none.
    var proxyProtocol: ProxyProtocol? { settings?.proxyProtocol }

    /// How the socket of a connection is set up. Part of the key: a connection with other options carries no request.
    var socketOptions: SocketOptions { settings?.socketOptions ?? SocketOptions() }

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
        guard let names, case .host = endpoint, proxies.isEmpty else { return endpoint }
        return .host(names.endpoint(for: origin))
    }

    /// The same route to the addresses of earlier hops, if the request wants that.
    func keeping(_ addresses: @autoclosure () -> [AddressOverride]) -> Route {
        guard var names = settings?.names, names.keepsAddress else { return self }
        names.keptAddresses = addresses()
        return Route(to: origin, RouteSettings.changing(settings) { $0.names = names })
    }

    /// The origin that the connections serve.
    var server: HTTPOrigin { origin }

    /// The server in texts: for the circuit breaker, the budget of retries and the times of its answers. What answers
    /// through a socket or a dialer is another server than the one of that name.
    var serverKey: String { Self.serverKey(origin, settings) }

    static func serverKey(_ origin: HTTPOrigin, _ settings: RouteSettings?) -> String {
        if let dialer = settings?.dialer { return "dialer \(dialer.number) \(endpoint(origin))" }
        if let socket = settings?.socket { return "\(socket)" }
        return endpoint(origin)
    }

    private static func endpoint(_ origin: HTTPOrigin) -> String {
        origin.host.contains(":") ? "[\(origin.host)]:\(origin.port)" : "\(origin.host):\(origin.port)"
    }

    /// The address that the route leads to, if it has one already.
    var address: TransportAddress? {
        switch endpoint {
        case .host(let origin): TransportAddress(literal: origin.host, port: origin.port)
        case .socket(let name): .unix(name)
        case .dialer: nil
        }
    }

    /// Whether the connections serve every origin: plain connections to a socket do, and those to a proxy that gets whole
    /// requests.
    private var servesAllOrigins: Bool {
        guard let settings, origin.scheme == .http else { return false }
        return settings.dialer == nil && settings.socket != nil || isToProxy
    }
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
    /// The parts as a value.
    struct Parts: Sendable, Hashable {
        /// Opens the connection, whatever the socket; nil for none.
        var dialer: ConnectionDialer?
        /// The Unix domain socket that the connection is opened to, whatever the origin; nil for none.
        var socket: UnixSocketName?
        /// What the request says about proxies, which holds for the library's own requests about its server, too; nil leaves
        /// them to the session.
        var proxyChoice: ProxyChoice?
        /// The proxies in the order in which they are connected to; none with a socket.
        var proxies: [Proxy] = []
        /// Whether the last proxy opens a tunnel whatever the origin.
        var isTunnelled = false
        /// Where that leads; nil for the origin's host and port, as the proxy finds them.
        var tunnelEnd: Route.TunnelEnd?
        /// The PROXY protocol that the origin gets; nil for none.
        var proxyProtocol: ProxyProtocol?
        /// How the connection's socket is set up; nil for the usual options, and in a request for the session's.
        var socketOptions: SocketOptions?
        /// The client's certificate for the origin; nil for that of the session.
        var identity: ClientIdentity?
        /// Where the request's connections may lead, besides the session's policy; nil for everywhere.
        var egressPolicy: EgressPolicy?
        /// What the request says about names; nil for nothing.
        var names: NameRules?
    }

    let parts: Parts
    /// What named the proxies, for errors. No part of the key.
    let proxySource: ProxySource?
    /// Of the parts, because pools are looked up for every request.
    private let hash: Int

    init(_ parts: Parts, proxiesFrom source: ProxySource? = nil) {
        self.parts = parts
        proxySource = source
        hash = parts.hashValue
    }

    /// These settings, or the usual ones for nil, after a change; nil for the usual ones.
    static func changing(_ settings: RouteSettings?, _ change: (inout Parts) -> Void) -> RouteSettings? {
        var parts = settings?.parts ?? Parts()
        change(&parts)
        return parts == Parts() ? nil : RouteSettings(parts, proxiesFrom: settings?.proxySource)
    }

    /// The settings of a request, with the session's for what it leaves to that.
    func completed(by session: RouteSettings?) -> RouteSettings {
        guard let session, socket == nil || dialer != nil else { return self }
        var parts = session.parts
        if let dialer { parts.dialer = dialer }
        (parts.egressPolicy, parts.names, parts.proxyChoice) = (egressPolicy, names, proxyChoice)
        parts.socketOptions = socketOptions ?? session.socketOptions
        if !proxies.isEmpty {
            (parts.proxies, parts.isTunnelled, parts.socket) = (proxies, isTunnelled, nil)
            parts.tunnelEnd = self.parts.tunnelEnd
        }
        return RouteSettings(parts, proxiesFrom: proxySource)
    }

    /// The settings of the library's own requests about a server of the route: its revocation, its missing issuers, reports
    /// about its pins. Each part goes along unless it is taken back here, because it
    /// - is meant for the request's own servers: what opens the connection, another endpoint, the client's certificate, a
    ///   header in front of the connection;
    /// - follows from the other parts, for each request by itself: the proxies, and what their tunnel leads to.
    ///
    /// - Parameter isAboutProxy: whether the server is a proxy. What its certificate names is not fetched through it.
    /// - Returns: nil for the usual settings.
    func forSideRequests(isAboutProxy: Bool) -> RouteSettings? {
        Self.changing(self) {
            ($0.dialer, $0.socket, $0.identity, $0.proxyProtocol) = (nil, nil, nil, nil)
            $0.names?.endpointOverrides = []
            $0.names = $0.names?.ifAny
            ($0.proxies, $0.isTunnelled, $0.tunnelEnd) = ([], false, nil)
            if isAboutProxy { $0.proxyChoice = nil }
        }
    }

    var dialer: ConnectionDialer? { parts.dialer }
    var socket: UnixSocketName? { parts.socket }
    var proxyChoice: ProxyChoice? { parts.proxyChoice }
    var proxies: [Proxy] { parts.proxies }
    var isTunnelled: Bool { parts.isTunnelled }
    var proxyProtocol: ProxyProtocol? { parts.proxyProtocol }
    var socketOptions: SocketOptions? { parts.socketOptions }
    var identity: ClientIdentity? { parts.identity }
    var egressPolicy: EgressPolicy? { parts.egressPolicy }
    var names: NameRules? { parts.names }
}

extension RouteSettings: Hashable {
    static func == (left: RouteSettings, right: RouteSettings) -> Bool {
        left === right || left.hash == right.hash && left.parts == right.parts
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension Route {
    /// The proxy that it leads through; nil for none.
    var proxyReference: ProxyReference? {
        guard let settings, let proxy = settings.proxies.last else { return nil }
        return ProxyReference(proxy, from: settings.proxySource ?? .session)
    }
}
