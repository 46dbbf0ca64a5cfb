// SPDX-License-Identifier: Apache-2.0

/// Says which connections may carry a request.
struct RouteRule: Sendable {
    /// The Unix domain socket of the session; nil if its servers are at their hosts and ports.
    let unixSocket: UnixSocketName?
    /// What the session's routes have besides their origins; nil for nothing.
    var settings: RouteSettings?

    @inline(__always)
    func route(for request: URLRequest) throws(InvalidRequest) -> Route {
        Route(to: try request.destination.get().origin, at: request.unixSocket ?? unixSocket, settings)
    }
}
