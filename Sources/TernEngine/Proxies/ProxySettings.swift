// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernHTTP1
import TernIO

/// Which requests of a session go through which proxy.
public struct ProxySettings: Sendable {
    private enum Choice: Sendable {
        case byScheme(http: ProxyRoute?, https: ProxyRoute?, except: ProxyExceptions)
        case byURL(@Sendable (URL) -> Proxy?)
    }

    private let choice: Choice

    /// All requests go through one proxy, except those to certain hosts.
    public init(_ proxy: Proxy, except exceptions: ProxyExceptions = ProxyExceptions()) {
        self.init(proxy, except: exceptions, from: .session)
    }

    /// The same for a proxy that something else has named.
    package init(_ proxy: Proxy, except exceptions: ProxyExceptions, from source: ProxySource) {
        let route = ProxyRoute(proxy, from: source)
        choice = .byScheme(http: route, https: route, except: exceptions)
    }

    /// One proxy for http and one for https, except for requests to certain hosts; nil for direct connections.
    package init(http: Proxy?, https: Proxy?, except exceptions: ProxyExceptions) {
        choice = .byScheme(
            http: http.map { ProxyRoute($0, from: .session) }, https: https.map { ProxyRoute($0, from: .session) },
            except: exceptions)
    }

    /// The closure names the proxy for a URL; nil for a direct connection. Called for each hop, redirects included, on a
    /// reactor's thread: it must not block. The URL has no user information. For a raw stream it is `http://HOST:PORT/`.
    @preconcurrency public init(_ choose: @escaping @Sendable (URL) -> Proxy?) { choice = .byURL(choose) }

    private init(_ choice: Choice) { self.choice = choice }

    /// The proxies that environment variables name, with curl's rules: `http_proxy` in lower case only, because a server
    /// that runs a program sets `HTTP_PROXY` from a field of a request; `https_proxy`, `all_proxy` and `no_proxy` in lower
    /// case before upper case. An empty value counts as none.
    ///
    /// A value that names no proxy is the error of the requests that would go through it, and of no others
    /// (``SessionError/ConnectingFailure/invalidProxy(_:)``). It names the variable, and shows no credential.
    ///
    /// - Parameter variables: the variables by name, usually `ProcessInfo.processInfo.environment`.
    public static func environment(_ variables: [String: String]) -> ProxySettings {
        environment(variables, except: nil) { $0 }
    }

    /// The same with changes.
    ///
    /// - Parameters:
    ///   - exceptions: in place of those of the variables; nil for these.
    ///   - completed: returns the proxy that takes the place of a named one.
    package static func environment(
        _ variables: [String: String], except exceptions: ProxyExceptions?, completed: (Proxy) -> Proxy
    ) -> ProxySettings {
        ProxySettings(
            .byScheme(
                http: route(["http_proxy", "all_proxy", "ALL_PROXY"], variables, completed),
                https: route(["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"], variables, completed),
                except: exceptions ?? Self.exceptions(in: variables)))
    }

    private static func route(
        _ names: [String], _ variables: [String: String], _ completed: (Proxy) -> Proxy
    ) -> ProxyRoute? {
        guard let (name, text) = value(names, variables) else { return nil }
        do throws(InvalidProxy) {
            return ProxyRoute(completed(try Proxy(text)), from: .named(name))
        } catch {
            return ProxyRoute(failing: .variable(name, error))
        }
    }

    /// The hosts that `no_proxy` names, or `NO_PROXY`.
    package static func exceptions(in variables: [String: String]) -> ProxyExceptions {
        ProxyExceptions(value(["no_proxy", "NO_PROXY"], variables)?.text ?? "")
    }

    private static func value(_ names: [String], _ variables: [String: String]) -> (name: String, text: String)? {
        for name in names { if let text = variables[name], !text.isEmpty { return (name, text) } }
        return nil
    }

    /// The proxy for a URL; nil for a direct connection, and for a URL that is none of http or https.
    ///
    /// - Throws: an error that names the variable of the environment whose value is no proxy.
    public func proxy(for url: URL) throws(InvalidProxy) -> Proxy? {
        try HTTPOrigin(of: url).flatMap { route(to: $0, url) }?.proxy.get()
    }

    /// The same for a request to `origin` with this URL, which is read only if a closure wants it.
    func route(to origin: HTTPOrigin, _ url: @autoclosure () -> URL?) -> ProxyRoute? {
        switch choice {
        case .byScheme(let http, let https, let exceptions):
            guard let route = origin.scheme == .https ? https : http else { return nil }
            return exceptions.contains(origin) ? nil : route
        case .byURL(let choose): return url().flatMap(choose).map { ProxyRoute($0, from: .session) }
        }
    }
}

/// The route through one proxy, made once for all requests that have no settings of their own, or why there is none.
final class ProxyRoute: Sendable {
    let proxy: Result<Proxy, InvalidProxy>
    /// Why no request can be sent along it; nil for nothing.
    let failure: SessionError.ConnectingFailure?
    private let settings: RouteSettings

    init(_ proxy: Proxy, from source: ProxySource) {
        self.proxy = .success(proxy)
        var parts = RouteSettings.Parts()
        parts.proxies = proxy.chain
        settings = RouteSettings(parts, proxiesFrom: source)
        failure = parts.proxies.lazy.compactMap(\.flawOfCredential).first.map { flaw in
            .proxy(.unsendable("\(flaw) (\(ProxyReference(proxy, from: source)))"))
        }
    }

    init(failing error: InvalidProxy) {
        proxy = .failure(error)
        failure = .invalidProxy(error)
        settings = RouteSettings(RouteSettings.Parts())
    }

    /// Whether the proxy resolves the host of a URL of http, which it gets whole.
    var resolvesHosts: Bool { (try? proxy.get()).map { $0.kind.isHTTP && !$0.tunnelsAll } ?? false }

    /// The settings of a request, and the proxies.
    ///
    /// - Parameter end: where the tunnel leads; nil for the origin.
    func settings(
        with own: RouteSettings?, isTunnelled: Bool, to end: Route.TunnelEnd? = nil
    ) -> RouteSettings {
        if own == nil, !isTunnelled { return settings }
        var parts = own?.parts ?? RouteSettings.Parts()
        (parts.proxies, parts.isTunnelled, parts.tunnelEnd) = (settings.proxies, isTunnelled, end)
        return RouteSettings(parts, proxiesFrom: settings.proxySource)
    }
}

extension Proxy {
    /// Why its credential can never be sent, without showing it; nil if it can. What SOCKS cannot express is found where it
    /// is written.
    fileprivate var flawOfCredential: String? {
        guard kind.isHTTP, let credential, credential.schemes == .basic,
            BasicScheme.authorization(credential) == nil
        else { return nil }
        return credential.userBytes.contains(UInt8(ascii: ":"))
            ? "a name with a colon by Basic" : "a name or a password with control characters by Basic"
    }
}
