// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import Testing

/// Sessions that servers other people wrote let us resume.
@Suite struct ResumptionTests {
    private let authority: CertificateAuthority

    init() throws { authority = try CertificateAuthority() }

    @Test(arguments: [OpenSSLServer.Version.tls12, .tls13])
    func `of a hundred connections to s_server all but the first are resumed`(
        version: OpenSSLServer.Version
    ) async throws {
        let identity = try authority.issue()
        let server = try await OpenSSLServer(version, identity: identity)
        try await reconnect(to: server.url(), pin: identity.pin)
    }

    @Test(arguments: ["TLSv1.2", "TLSv1.3"])
    func `of a hundred connections to nginx all but the first are resumed`(version: String) async throws {
        let server = try await NginxServer(directives: "keepalive_timeout 0; ssl_protocols \(version);")
        try await reconnect(to: server.secureURL(), pin: server.identity.pin, authority: server.authority)
    }

    @Test(arguments: ["TLSv1.2", "TLSv1.3"])
    func `sessions without tickets are resumed where the version knows them`(version: String) async throws {
        let server = try await NginxServer(
            directives: "keepalive_timeout 0; ssl_session_tickets off; ssl_protocols \(version);")
        try await reconnect(to: server.secureURL(), pin: server.identity.pin, authority: server.authority, count: 10)
    }

    @Test(arguments: [OpenSSLServer.Version.tls12, .tls13])
    func `a server that resumes nothing is met in full each time`(version: OpenSSLServer.Version) async throws {
        let server = try await OpenSSLServer(
            version, identity: try authority.issue(), arguments: ["-no_ticket", "-no_cache"])
        let session = try session(trusting: authority)
        for _ in 0..<5 {
            let task = try await RecordedTask.run(session, server.url())
            #expect(task.status == 200)
            #expect(task.tls?.resumed == false)
        }
    }

    private func reconnect(
        to url: String, pin: String, authority: CertificateAuthority? = nil, count: Int = 100
    ) async throws {
        let policy = ServerTrustPolicy.pinPublicKeys(
            publicKeys: [try X509Certificate.PublicKey(pin: pin)], validateCertificateChain: true, validateHost: true)
        let session = try session(trusting: authority ?? self.authority, policy: policy)
        for index in 0..<count {
            let task = try await RecordedTask.run(session, url)
            try #require(task.status == 200)
            #expect(task.metrics?.isConnectionReused == false)
            #expect(task.tls?.resumed == (index > 0))
            #expect(task.pins.first == pin)
        }
    }

    private func session(
        trusting authority: CertificateAuthority, policy: ServerTrustPolicy? = nil
    ) throws -> Session {
        var configuration = SessionConfiguration.default
        configuration.tls.anchors = .only(try X509Certificate.all(inPEM: authority.certificatePEM))
        return Session(
            configuration: configuration,
            serverTrustPolicyManager: policy.map { ServerTrustPolicyManager(policies: ["localhost": $0]) })
    }
}
