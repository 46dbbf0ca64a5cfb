// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Link-local addresses name an interface (RFC 6874, RFC 9844). A loopback address may, too.
@Suite struct ZoneTests {
    private let configuration = {
        var configuration = ScriptedOrigin.Configuration()
        configuration.address = .ipv6
        return configuration
    }()

    @Test(arguments: ["%25lo", "%lo", "%251"])
    func `a zone chooses the interface, and is in no Host field`(zone: String) async throws {
        let origin = try ScriptedOrigin(configuration) { _, _ in [.ok("hello")] }
        let session = Session()
        let request = try URLRequest(string: "http://[::1\(zone)]:\(origin.port)/")
        let (data, response) = try await session.data(for: request)
        #expect(data == Data("hello".utf8))
        #expect(response.url == request.url)
        #expect(origin.observations.requests.first?.value(of: "Host") == "[::1]:\(origin.port)")
    }

    @Test func `a certificate is for the address, without the zone`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(configuration, tls: authority.issue(.localhost)) { _, _ in [.ok("hello")] }
        let session = try Session.trusting(authority)
        let (data, _) = try await session.data(for: URLRequest(string: "https://[::1%25lo]:\(origin.port)/"))
        #expect(data == Data("hello".utf8))
    }

    @Test func `an interface that does not exist is an address that cannot be found`() async throws {
        let request = try URLRequest(string: "http://[fe80::1%25no-such-one]/")
        let error = await #expect(throws: SessionError.self) { try await Session().data(for: request) }
        guard case .connecting(.unresolved(let error))? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error.host == "fe80::1%no-such-one")
    }
}
