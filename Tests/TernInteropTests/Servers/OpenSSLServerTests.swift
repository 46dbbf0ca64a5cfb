// SPDX-License-Identifier: Apache-2.0

import Foundation
import TernTesting
import Testing

/// Proof of the fixture itself, with curl as the client.
@Suite struct OpenSSLServerTests {
    private let folder: TemporaryFolder
    private let identity: Identity
    private let anchors: String

    init() throws {
        let authority = try CertificateAuthority()
        folder = try TemporaryFolder()
        identity = try authority.issue(.localhost)
        anchors = try folder.write(authority.certificatePEM, to: "ca.pem")
    }

    @Test(arguments: [(OpenSSLServer.Version.tls12, "TLSv1.2"), (.tls13, "TLSv1.3")])
    func `speaks one version only`(version: OpenSSLServer.Version, name: String) async throws {
        let server = try await OpenSSLServer(version, identity: identity)
        #expect(try await curl("--cacert", anchors, server.url()).contains("Protocol  : \(name)"))
    }

    @Test func `serves files`() async throws {
        let server = try await OpenSSLServer(
            .tls13, identity: identity, content: .files(["a.txt": Data("letter".utf8)]))
        #expect(try await curl("--cacert", anchors, server.url("/a.txt")) == "letter")
    }

    @Test func `leaves no process on its port when it is stopped`() async throws {
        let server = try await OpenSSLServer(.tls12, identity: identity)
        await server.stop()
        #expect(!LoopbackPort(server.port).accepts())
    }
}
