// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1

/// Resolves the route of a request: what the request says, or else the session. The only place where the two are joined.
///
/// A hop's route is resolved before a stored response may answer the hop, and again for each attempt. It may call a closure
/// of the user, which chooses proxies.
///
/// A class, because every request uses it, and none copies it.
final class RouteRule: Sendable {
    /// The settings of the session's routes, for requests that name none; nil for the hosts and ports of the origins.
    let settings: RouteSettings?
    /// Has the certificates of the client for single servers; nil without.
    private let storage: CredentialStorage?
    /// The session's proxies; nil without.
    private let proxies: ProxySettings?
    /// Whether the fields that the session adds to requests switch protocols.
    private let upgradesAll: Bool
    /// Whether an address of a host leads through a tunnel where the proxy would get whole requests.
    private let tunnelsToAddresses: Bool
    /// What the session says about names.
    private let names: NameRules?
    /// The session's policy, besides that of a request.
    private let egressPolicy: EgressPolicy?
    /// What decides whether the server of a host is trusted, as bytes that differ for other decisions.
    private let trust: @Sendable (_ host: String) -> [[UInt8]]

    /// - Parameter trust: what decides whether the server of a host is trusted, as bytes that differ for other decisions.
    init(of configuration: SessionConfiguration, trust: @escaping @Sendable (_ host: String) -> [[UInt8]] = { _ in [] })
    {
        settings = RouteSettings.changing(nil) {
            ($0.dialer, $0.socket) = (configuration.dialer, configuration.unixSocket)
            $0.proxyProtocol = configuration.proxyProtocol
            if configuration.socketOptions != SocketOptions() { $0.socketOptions = configuration.socketOptions }
        }
        (storage, proxies) = (configuration.urlCredentialStorage, configuration.effectiveProxySettings)
        upgradesAll = configuration.httpAdditionalHeaders.contains("Upgrade")
        tunnelsToAddresses = configuration.tunnelsToOverriddenAddresses
        (names, egressPolicy) = (configuration.nameRules, configuration.egressPolicy)
        self.trust = trust
    }

    /// Why a request has no route.
    enum Refusal: Error {
        case invalid(InvalidRequest)
        /// There is no proxy of the kind that the settings ask for, or it must not connect to the origin, which the
        /// connection to the proxy cannot judge.
        case connecting(SessionError.ConnectingFailure)

        var reason: SessionError.Reason {
            switch self {
            case .invalid(let error): .request(.invalid(error))
            case .connecting(let failure): .connecting(failure)
            }
        }
    }

    /// - Parameter isStream: whether the route is for a raw stream, whose bytes no proxy reads.
    @inline(__always)
    func route(for request: URLRequest, isStream: Bool = false) throws(Refusal) -> Route {
        let origin: HTTPOrigin
        do throws(InvalidRequest) { origin = try request.origin() } catch { throw .invalid(error) }
        var own = request.routeSettings
        if proxies != nil || own?.proxyChoice != nil { own = try ownSettings(of: request, isStream, to: origin) }
        let settings = own == nil ? settings : own?.completed(by: settings)
        guard let storage, origin.scheme == .https, let identity = storage.identity(for: origin) else {
            return Route(to: origin, settings)
        }
        return Route(to: origin, RouteSettings.changing(settings) { $0.identity = identity })
    }

    /// The key of the server of a request's routes; nil for one without a server.
    func serverKey(of request: URLRequest) -> String? {
        guard let origin = try? request.origin() else { return nil }
        return Route.serverKey(origin, request.routeSettings?.completed(by: settings) ?? settings)
    }

    /// The request's settings, with the proxies that it goes through.
    private func ownSettings(
        of request: URLRequest, _ isStream: Bool, to origin: HTTPOrigin
    ) throws(Refusal) -> RouteSettings? {
        guard let route = proxyRoute(of: request, to: origin) else {
            // Where there are no proxies, a request that wants none is like any other.
            if proxies != nil { return request.routeSettings }
            return RouteSettings.changing(request.routeSettings) { $0.proxyChoice = nil }
        }
        if let failure = route.failure { throw .connecting(failure) }
        let end = tunnelEnd(for: origin, NameRules.joined(request.routeSettings?.names, names), route)
        let guardian = EgressGuard(
            session: egressPolicy, request: request.egressPolicy, origin: end?.target ?? origin, endpoint: nil,
            isForwarded: true)
        do throws(EgressViolation) { try guardian?.checkUnresolved() } catch {
            throw .connecting(.egressRefused(error))
        }
        // What follows a switch of protocols is for the origin alone.
        let upgrades = isStream || upgradesAll || !request.headers.isEmpty && request.headers.contains("Upgrade")
        return route.settings(with: request.routeSettings, isTunnelled: upgrades || end != nil, to: end)
    }

    /// What overrides say of an origin holds behind a proxy, too, which only a tunnel can lead there; nil for nothing.
    private func tunnelEnd(for origin: HTTPOrigin, _ names: NameRules?, _ route: ProxyRoute) -> Route.TunnelEnd? {
        guard let names else { return nil }
        let target = names.endpoint(for: origin)
        let resolves = !tunnelsToAddresses && target == origin && origin.scheme == .http && route.resolvesHosts
        let isLocated = !resolves && names.override(for: target) != nil
        return target == origin && !isLocated ? nil : Route.TunnelEnd(target: target, isLocated: isLocated)
    }

    /// A socket excludes proxies, the request's own those of the session, too.
    private func proxyRoute(of request: URLRequest, to origin: HTTPOrigin) -> ProxyRoute? {
        if request.unixSocket != nil, request.dialer == nil { return nil }
        switch request.proxy {
        case .ofSession: return proxies?.route(to: origin, request.url?.withoutUserInformation)
        case .direct: return nil
        case .through(let proxy): return ProxyRoute(proxy, from: .request)
        }
    }
}

// The projection for caches
extension RouteRule {
    /// What of a route decides whether a stored response may answer: a response that came along another one is another
    /// response. Empty for the usual route. The parts are the same in every process, but for dialers.
    ///
    /// Proxies count for http alone: those of https cannot forge an answer. A response that was received under one egress
    /// policy answers no request under another: the address that it came from may be one that the other refuses.
    func cacheKey(of route: Route) -> [[UInt8]] {
        let server = route.server
        var parts = server.scheme == .https ? trust(server.host) : []
        if let settings = route.settings { parts += key(of: settings, to: server) }
        if let text = NameRules.joined(route.names, names)?.text(about: server) { parts += Self.part("endpoint", text) }
        if let egressPolicy { parts += Self.part("egress", egressPolicy.text) }
        if let policy = route.egressPolicy { parts += Self.part("egress", policy.text) }
        return parts
    }

    /// Every part of the settings is here, or does not matter to what a server answers: socket options and the PROXY
    /// protocol, which tell it the same client, and what the request says about proxies, beside these themselves.
    private func key(of settings: RouteSettings, to server: HTTPOrigin) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        if let leaf = settings.identity?.certificates.first { parts += [Array("stored identity".utf8), leaf.der] }
        if let dialer = settings.dialer {
            parts += Self.part("dialer", "\(dialer.number)")
        } else if let socket = settings.socket {
            parts += Self.part("socket", "\(socket)")
        }
        if server.scheme == .http {
            for proxy in settings.proxies { parts += Self.part("proxy", "\(proxy)") }
        }
        return parts
    }

    private static func part(_ name: String, _ text: String) -> [[UInt8]] { [Array(name.utf8), Array(text.utf8)] }
}

extension URL {
    fileprivate var withoutUserInformation: URL {
        guard user != nil || password != nil else { return self }
        return URL(string: URLRequest.withoutCredential(absoluteString)) ?? self
    }
}
