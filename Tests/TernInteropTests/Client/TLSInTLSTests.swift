// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing

@testable import TernEngine

/// A secure server behind a secure proxy, each with certificates of its own.
@Suite struct TLSInTLSTests {
    private let outer: CertificateAuthority
    private let server: NginxServer
    private let squid: SquidServer

    init() async throws {
        outer = try CertificateAuthority()
        server = try await NginxServer(files: ["big": Data(repeating: 7, count: 3_000_000)])
        squid = try await SquidServer(tls: try outer.issue())
    }

    private func session(_ policies: [String: ServerTrustPolicy]) throws -> Session {
        var configuration = SessionConfiguration()
        configuration.httpMaximumConnectionsPerHost = 1
        configuration.reactorCount = 1
        configuration.tls.anchors = .only([
            try X509Certificate(pem: outer.certificatePEM), try X509Certificate(pem: server.authority.certificatePEM),
        ])
        configuration.proxySettings = ProxySettings(Proxy(.https, host: "127.0.0.1", port: squid.securePort))
        return Session(
            configuration: configuration, serverTrustPolicyManager: ServerTrustPolicyManager(policies: policies))
    }

    private static func pin(_ authority: CertificateAuthority) throws -> ServerTrustPolicy {
        .pinPublicKeys(
            publicKeys: [try X509Certificate.PublicKey(pin: authority.pin)], validateCertificateChain: true,
            validateHost: true)
    }

    @Test func `each server is evaluated by its own policy, and the origin answers`() async throws {
        let session = try session(["127.0.0.1": Self.pin(outer), "localhost": Self.pin(server.authority)])
        for path in ["/ok?1", "/big", "/ok?2"] {
            let request = TernEngine.URLRequest(url: try #require(URL(string: server.secureURL(path))))
            let (data, response) = try await session.data(for: request)
            #expect(response.statusCode == 200)
            #expect(data.count == (path == "/big" ? 3_000_000 : 2))
        }
    }

    @Test func `a pin that either server does not meet ends the connection`() async throws {
        for (first, second) in [(server.authority, server.authority), (outer, outer)] {
            let session = try session(["127.0.0.1": Self.pin(first), "localhost": Self.pin(second)])
            let request = TernEngine.URLRequest(url: try #require(URL(string: server.secureURL("/ok"))))
            let error = await #expect(throws: SessionError.self) { try await session.data(for: request) }
            guard case .connecting(.insecure(let failure))? = error?.reason, case .trust(let reason) = failure.reason
            else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect("\(reason)".contains("pin"))
        }
    }
}
