// SPDX-License-Identifier: Apache-2.0

/// Determines which connections may carry a request.
struct RouteRule: Sendable {
    /// The settings of the session's routes, for requests that name none; nil for the hosts and ports of the origins.
    let settings: RouteSettings?

    @inline(__always)
    func route(for request: URLRequest) throws(InvalidRequest) -> Route {
        Route(to: try request.destination.get().origin, request.routeSettings ?? settings)
    }
}
