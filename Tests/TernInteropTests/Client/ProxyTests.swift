// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing

@testable import TernEngine

/// Real proxies before a real server.
@Suite(.timeLimit(.minutes(2))) struct ProxyTests {
    private let server: NginxServer

    init() async throws { server = try await NginxServer(files: ["a": Data("hello".utf8)]) }

    private func session(_ proxy: Proxy) throws -> Session {
        var configuration = SessionConfiguration()
        configuration.reactorCount = 1
        configuration.proxySettings = ProxySettings(proxy)
        configuration.tls.anchors = .only([try X509Certificate(pem: server.authority.certificatePEM)])
        return Session(configuration: configuration)
    }

    private func get(_ session: Session, _ url: String) async throws -> String {
        let (data, response) = try await session.data(for: try TernEngine.URLRequest(string: url))
        return response.statusCode == 200 ? String(decoding: data, as: UTF8.self) : "\(response.statusCode)"
    }

    private var urls: [String] { [server.url("/a"), server.secureURL("/a"), server.url("/a?2")] }

    @Test(arguments: [SquidServer.Authentication.none, .basic, .digest])
    func `squid passes on plain and secure requests`(authentication: SquidServer.Authentication) async throws {
        let squid = try await SquidServer(authentication)
        var proxy = Proxy(.http, host: "127.0.0.1", port: squid.port)
        if authentication != .none { proxy.credential = PasswordCredential(user: "user", password: "secret") }
        let session = try session(proxy)
        for url in urls { #expect(try await get(session, url) == "hello") }
        if authentication == .none { return }
        proxy.credential = PasswordCredential(user: "user", password: "wrong")
        let refused = try self.session(proxy)
        #expect(try await get(refused, server.url("/a")) == "407")
        let request = try TernEngine.URLRequest(string: server.secureURL("/a"))
        let error = await #expect(throws: SessionError.self) { try await refused.data(for: request) }
        guard case .connecting(.proxy(.refused(let refusal)))? = error?.reason else { throw try #require(error) }
        #expect(refusal.status == 407)
    }

    @Test func `tinyproxy, microsocks and dante pass on plain and secure requests`() async throws {
        var socks = Proxy(.socks5, host: "127.0.0.1", port: 0)
        socks.credential = PasswordCredential(user: "user", password: "secret")
        let (tiny, micro, dante) = try await (
            SmallProxy.tinyproxy(), SmallProxy.microsocks(), SmallProxy.dante()
        )
        var proxies = [Proxy(.http, host: "127.0.0.1", port: tiny.port)]
        for kind in [Proxy.Kind.socks5, .socks5h] {
            var proxy = Proxy(kind, host: "127.0.0.1", port: micro.port)
            proxy.credential = socks.credential
            proxies.append(proxy)
            proxies.append(Proxy(kind, host: "127.0.0.1", port: dante.port))
        }
        proxies.append(Proxy(.socks4, host: "127.0.0.1", port: dante.port))
        var chained = Proxy(.http, host: "127.0.0.1", port: tiny.port)
        chained.preproxy = Proxy(.socks5h, host: "127.0.0.1", port: dante.port)
        proxies.append(chained)
        for proxy in proxies {
            let session = try session(proxy)
            for url in urls { #expect(try await get(session, url) == "hello", "\(proxy): \(url)") }
        }
        // Dante refuses the name localhost in SOCKS 4a.
        let byName = try session(Proxy(.socks4a, host: "127.0.0.1", port: dante.port))
        #expect(try await get(byName, server.url("/a")) == "hello")
        socks = Proxy(.socks5h, host: "127.0.0.1", port: micro.port)
        socks.credential = PasswordCredential(user: "user", password: "wrong")
        let request = try TernEngine.URLRequest(string: server.url("/a"))
        let refused = try session(socks)
        let error = await #expect(throws: SessionError.self) { try await refused.data(for: request) }
        guard case .connecting(.proxy(.credentialRefused))? = error?.reason else { throw try #require(error) }
    }

    @Test func `haproxy reads the address from the header of the PROXY protocol`() async throws {
        let haproxy = try await SmallProxy.haproxy()
        for version in [ProxyProtocol.v1, .v2] {
            var configuration = SessionConfiguration()
            configuration.proxyProtocol = version
            let session = Session(configuration: configuration)
            let request = try TernEngine.URLRequest(string: "http://127.0.0.1:\(haproxy.port)/")
            let (data, response) = try await session.data(for: request)
            #expect(response.statusCode == 200)
            #expect(String(decoding: data, as: UTF8.self).hasPrefix("127.0.0.1 "), "\(version)")
        }
    }
}
