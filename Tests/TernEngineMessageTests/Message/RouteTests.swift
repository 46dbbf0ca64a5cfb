// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct RouteTests {
    private let plain = HTTPOrigin(scheme: .http, host: "a.test", port: 80)
    private let other = HTTPOrigin(scheme: .http, host: "b.test", port: 8080)
    private let secure = HTTPOrigin(scheme: .https, host: "a.test", port: 443)
    private let otherSecure = HTTPOrigin(scheme: .https, host: "b.test", port: 443)

    @Test func `origins with a host and port of their own have a route of their own`() {
        #expect(Set([plain, other, secure, otherSecure, plain].map { Route(to: $0) }).count == 4)
    }

    @Test func `over one socket all plain requests take one route, and secure ones that of their server`() throws {
        let socket = RouteSettings(.init(socket: try UnixSocketName(path: "/run/web.sock")))
        let others = [
            RouteSettings(.init(socket: try UnixSocketName(path: "/run/other.sock"))),
            RouteSettings(.init(socket: try UnixSocketName(abstract: "/run/web.sock"))),
        ]
        #expect(Route(to: plain, socket) == Route(to: other, socket))
        #expect(Route(to: plain, socket).hashValue == Route(to: other, socket).hashValue)
        #expect(Set([plain, secure, otherSecure].map { Route(to: $0, socket) }).count == 3)
        #expect(Set([Route(to: plain), Route(to: plain, socket)] + others.map { Route(to: plain, $0) }).count == 4)
    }

    @Test func `an address is known of literals and sockets`() throws {
        let socket = try UnixSocketName(path: "/run/web.sock")
        #expect(Route(to: plain).address == nil)
        #expect(Route(to: plain, RouteSettings(.init(socket: socket))).address == .unix(socket))
        let literal = HTTPOrigin(scheme: .https, host: "[::1]", port: 8443)
        #expect(Route(to: literal).address?.description == "[::1]:8443")
    }

    @Test func `a route through a proxy leads there, and serves every plain origin if it opens no tunnel`() throws {
        let through = { (proxy: Proxy) in RouteSettings(.init(proxies: [proxy])) }
        let proxy = Proxy(.http, host: "proxy.test", port: 3128)
        guard case .host(let endpoint) = Route(to: secure, through(proxy)).endpoint else { throw RouteError() }
        #expect(endpoint == HTTPOrigin(scheme: .http, host: "proxy.test", port: 3128))
        #expect(Route(to: plain, through(proxy)) == Route(to: other, through(proxy)))
        #expect(Route(to: plain, through(proxy)).hashValue == Route(to: other, through(proxy)).hashValue)
        #expect(Set([secure, otherSecure].map { Route(to: $0, through(proxy)) }).count == 2)
        var tunnelling = proxy
        tunnelling.tunnelsAll = true
        #expect(Route(to: plain, through(tunnelling)) != Route(to: other, through(tunnelling)))
        let socks = through(Proxy(.socks5h, host: "proxy.test"))
        #expect(Route(to: plain, socks) != Route(to: other, socks))
    }

    @Test func `settings that differ are other routes, and equal ones are the same`() {
        var (first, second) = (Proxy(.http, host: "p.test"), Proxy(.http, host: "p.test"))
        first.credential = PasswordCredential(user: "a", password: "1")
        second.credential = PasswordCredential(user: "a", password: "2")
        let settings: [() -> RouteSettings?] = [
            { nil }, { RouteSettings(.init(proxies: [Proxy(.http, host: "p.test")])) },
            { RouteSettings(.init(proxies: [first])) }, { RouteSettings(.init(proxies: [second])) },
            { RouteSettings(.init(proxies: [first, second])) }, { RouteSettings(.init(proxyProtocol: .v1)) },
            { RouteSettings(.init(socketOptions: Self.options { $0.localAddress = IPAddress(literal: "127.0.0.2") })) },
            { RouteSettings(.init(socketOptions: Self.options { $0.localAddress = IPAddress(literal: "127.0.0.3") })) },
            { RouteSettings(.init(socketOptions: Self.options { $0.keepAlive = nil })) },
            { RouteSettings(.init(socketOptions: Self.options { $0.mark = 1 })) },
        ]
        #expect(Set((settings + settings).map { Route(to: plain, $0()) }).count == settings.count)
    }

    @Test func `each part of a route goes along with side requests, or is taken back`() throws {
        var names = NameRules(family: .ipv4)
        names.addressOverrides = [AddressOverride(host: "a.test", port: nil, addresses: [])]
        names.endpointOverrides = [EndpointOverride(host: nil, port: nil, targetHost: "b.test", targetPort: nil)]
        let proxy = Proxy(.http, host: "p.test")
        let parts = RouteSettings.Parts(
            dialer: ConnectionDialer { _ in throw RouteError() }, socket: try UnixSocketName(path: "/run/web.sock"),
            proxyChoice: .through(proxy), proxies: [proxy], isTunnelled: true,
            tunnelEnd: Route.TunnelEnd(target: plain, isLocated: true), proxyProtocol: .v1,
            socketOptions: Self.options { $0.mark = 1 }, identity: nil, egressPolicy: .publicInternet, names: names)
        names.endpointOverrides = []
        let side = RouteSettings.Parts(
            proxyChoice: .through(proxy), socketOptions: parts.socketOptions, egressPolicy: .publicInternet,
            names: names)
        #expect(RouteSettings(parts).forSideRequests(isAboutProxy: false)?.parts == side)
        var ofProxy = side
        ofProxy.proxyChoice = nil
        #expect(RouteSettings(parts).forSideRequests(isAboutProxy: true)?.parts == ofProxy)
        #expect(RouteSettings(.init(proxies: [proxy])).forSideRequests(isAboutProxy: false) == nil)
        let known = [
            "dialer", "socket", "proxyChoice", "proxies", "isTunnelled", "tunnelEnd", "proxyProtocol", "socketOptions",
            "identity", "egressPolicy", "names",
        ]
        #expect(Mirror(reflecting: parts).children.compactMap(\.label) == known, "say what becomes of the part")
    }

    private static func options(_ change: (inout SocketOptions) -> Void) -> SocketOptions {
        var options = SocketOptions()
        change(&options)
        return options
    }

    private struct RouteError: Error {}
}
