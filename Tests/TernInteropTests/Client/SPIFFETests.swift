// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import Testing

/// Workloads that `s_server` answers for.
@Suite struct SPIFFETests {
    private let authority: CertificateAuthority
    private let bundle: SPIFFEBundle

    init() throws {
        authority = try CertificateAuthority()
        bundle = SPIFFEBundle(authorities: [try X509Certificate(pem: authority.certificatePEM)])
    }

    private func session(allowing id: String) throws -> Session {
        Session(
            configuration: .default,
            serverTrustPolicyManager: ServerTrustPolicyManager(
                policies: ["localhost": .spiffe(SPIFFEPolicy(id: try SPIFFEID(id), bundle: bundle))]))
    }

    @Test(arguments: [OpenSSLServer.Version.tls12, .tls13])
    func `the right workload is accepted, and its session resumed; another one is refused`(
        version: OpenSSLServer.Version
    ) async throws {
        let (payments, orders) = ("spiffe://a.test/payments", "spiffe://a.test/orders")
        let identity = try authority.issue(LeafRequest(commonName: nil, dnsNames: [], uris: [payments]))
        let server = try await OpenSSLServer(version, identity: identity)
        let session = try session(allowing: payments)
        #expect(try await RecordedTask.run(session, server.url()).status == 200)
        let second = try await RecordedTask.run(session, server.url())
        #expect(second.status == 200 && second.tls?.resumed == true)
        let refused = try await RecordedTask.run(try self.session(allowing: orders), server.url())
        #expect(refused.error?.reason.rule == "spiffe-id" && refused.status == nil)
    }
}
