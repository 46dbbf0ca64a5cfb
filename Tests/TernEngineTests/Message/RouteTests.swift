// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import Testing

@testable import TernEngine

@Suite struct RouteTests {
    private let plain = HTTPOrigin(scheme: .http, host: "a.test", port: 80)
    private let other = HTTPOrigin(scheme: .http, host: "b.test", port: 8080)
    private let secure = HTTPOrigin(scheme: .https, host: "a.test", port: 443)
    private let otherSecure = HTTPOrigin(scheme: .https, host: "b.test", port: 443)

    @Test func `origins with a host and port of their own have a route of their own`() {
        #expect(Set([plain, other, secure, otherSecure, plain].map { Route(to: $0) }).count == 4)
        #expect(Route(to: plain).secured == [])
        #expect(Route(to: secure).secured == [secure])
    }

    @Test func `over one socket all plain requests take one route, and secure ones that of their server`() throws {
        let socket = RouteSettings(socket: try UnixSocketName(path: "/run/web.sock"))
        let others = [
            RouteSettings(socket: try UnixSocketName(path: "/run/other.sock")),
            RouteSettings(socket: try UnixSocketName(abstract: "/run/web.sock")),
        ]
        #expect(Route(to: plain, socket) == Route(to: other, socket))
        #expect(Route(to: plain, socket).hashValue == Route(to: other, socket).hashValue)
        #expect(Set([plain, secure, otherSecure].map { Route(to: $0, socket) }).count == 3)
        #expect(Route(to: secure, socket).secured == [secure])
        #expect(Set([Route(to: plain), Route(to: plain, socket)] + others.map { Route(to: plain, $0) }).count == 4)
    }

    @Test func `an address is known of literals and sockets`() throws {
        let socket = try UnixSocketName(path: "/run/web.sock")
        #expect(Route(to: plain).address == nil)
        #expect(Route(to: plain, RouteSettings(socket: socket)).address == .unix(socket))
        let literal = HTTPOrigin(scheme: .https, host: "[::1]", port: 8443)
        #expect(Route(to: literal).address?.description == "[::1]:8443")
    }

    @Test func `a route through another server leads there, and secures both one after the other`() throws {
        let settings = RouteSettings(via: otherSecure)
        let route = Route(to: secure, settings)
        guard case .host(otherSecure) = route.endpoint else { throw RouteError() }
        #expect(route.secured == [otherSecure, secure])
        #expect(Route(to: plain, settings).secured == [otherSecure])
        #expect(Route(to: plain, RouteSettings(via: plain)).secured == [])
    }

    @Test func `settings that differ are other routes, and equal ones are the same`() {
        let settings: [() -> RouteSettings?] = [
            { nil }, { RouteSettings(via: other) }, { RouteSettings(via: plain) },
            { RouteSettings(localAddress: TransportAddress(literal: "127.0.0.2", port: 0)) },
            { RouteSettings(localAddress: TransportAddress(literal: "127.0.0.3", port: 0)) },
        ]
        #expect(Set((settings + settings).map { Route(to: plain, $0()) }).count == settings.count)
    }

    private struct RouteError: Error {}
}
