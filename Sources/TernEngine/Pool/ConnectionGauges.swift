// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1
public import TernIO

/// How many connections a session has, how many requests wait for one, and which hosts its circuit breaker holds back.
public struct ConnectionGauges: Sendable, Hashable {
    /// The same for one route.
    public struct Route: Sendable, Hashable {
        /// The origin of the connections; with a Unix domain socket or a proxy that gets whole requests, of the request that
        /// used the route first.
        public let origin: HTTPOrigin
        /// The Unix domain socket that they lead to; nil for none.
        public let unixSocket: UnixSocketName?
        /// The proxies that they go through, in order.
        public let proxies: [Proxy]
        /// Connections that are kept for later requests.
        public fileprivate(set) var idle = 0
        /// Connections that carry a request.
        public fileprivate(set) var leased = 0
        /// Connections that are being opened.
        public fileprivate(set) var opening = 0
        /// Requests that wait for a connection.
        public fileprivate(set) var waiting = 0

        /// Connections that are open: idle or leased.
        public var open: Int { idle + leased }
    }

    /// What a circuit breaker has counted for one host.
    public struct Circuit: Sendable, Hashable {
        /// The host and the port of the requests, such as `example.com:443`.
        public let host: String
        /// Whether requests pass.
        public let state: CircuitBreaker.State
        /// The number of requests of the present window that have ended.
        public let requests: Int
        /// How many of them failed.
        public let failures: Int
    }

    /// The routes with a connection or a request that waits, in the order of their origins.
    public let routes: [Route]
    /// The hosts that the circuit breaker has counted requests for within its window, or holds back, in their order; empty
    /// without a breaker.
    public let circuits: [Circuit]

    /// Connections that are kept for later requests.
    public var idle: Int { routes.reduce(0) { $0 + $1.idle } }
    /// Connections that carry a request.
    public var leased: Int { routes.reduce(0) { $0 + $1.leased } }
    /// Connections that are open: idle or leased.
    public var open: Int { idle + leased }
    /// Connections that are being opened.
    public var opening: Int { routes.reduce(0) { $0 + $1.opening } }
    /// Requests that wait for a connection.
    public var waiting: Int { routes.reduce(0) { $0 + $1.waiting } }

    init(_ permits: ConnectionPermits, _ circuits: [Circuit] = []) {
        self.circuits = circuits.sorted { $0.host < $1.host }
        var routes: [TernEngine.Route: Route] = [:]
        for holder in permits.holders {
            let (counts, key) = (holder.counts, holder.route)
            var route =
                routes[key] ?? Route(origin: key.server, unixSocket: key.socket, proxies: key.proxies)
            route.idle += counts.idle
            route.leased += counts.leased
            route.opening += counts.opening
            route.waiting += counts.waiting
            routes[key] = route
        }
        let used = routes.values.filter { $0.open + $0.opening + $0.waiting > 0 }
        let named = used.map { (name: "\($0.origin) \($0.proxies)", route: $0) }
        self.routes = named.sorted { $0.name < $1.name }.map(\.route)
    }
}
