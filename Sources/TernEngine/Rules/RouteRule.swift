// SPDX-License-Identifier: Apache-2.0

/// Determines which connections may carry a request.
struct RouteRule: Sendable {
    /// The settings of the session's routes, for requests that name none; nil for the hosts and ports of the origins.
    let settings: RouteSettings?
    /// Has the certificates of the client for single servers; nil without.
    var storage: CredentialStorage?

    @inline(__always)
    func route(for hop: Hop) throws(InvalidRequest) -> Route {
        let origin = try hop.request.destination.get().origin
        let own = hop.routeSettings ?? hop.request.routeSettings
        let settings = own == nil ? settings : own?.completed(by: settings)
        guard let storage, origin.scheme == .https, let identity = storage.identity(for: origin) else {
            return Route(to: origin, settings)
        }
        return Route(to: origin, RouteSettings.changing(settings) { $0.identity = identity })
    }
}
