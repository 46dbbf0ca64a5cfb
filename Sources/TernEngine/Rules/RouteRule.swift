// SPDX-License-Identifier: Apache-2.0

/// Determines which connections may carry a request.
struct RouteRule: Sendable {
    /// The Unix domain socket of the session; nil if its servers are at their hosts and ports.
    let unixSocket: UnixSocketName?
    /// The additional settings of the session's routes; nil for none.
    var settings: RouteSettings?

    @inline(__always)
    func route(for request: URLRequest) throws(InvalidRequest) -> Route {
        Route(to: try request.destination.get().origin, at: request.unixSocket ?? unixSocket, settings)
    }
}
