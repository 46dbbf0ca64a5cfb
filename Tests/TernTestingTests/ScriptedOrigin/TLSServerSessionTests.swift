// SPDX-License-Identifier: Apache-2.0

import Foundation
import TernTesting
import Testing
import TestPrograms

/// The peers are `curl` and `openssl s_client`, which share no code with the origin beyond OpenSSL.
@Suite final class TLSServerSessionTests {
    private let authority: CertificateAuthority
    private let identity: Identity
    private let folder: URL

    init() throws {
        authority = try CertificateAuthority()
        identity = try authority.issue(.localhost)
        folder = FileManager.default.temporaryDirectory.appending(path: "tern-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func file(_ name: String, _ text: String) throws -> String {
        let url = folder.appending(path: name)
        try Data(text.utf8).write(to: url)
        return url.path
    }

    private func curl(_ origin: ScriptedOrigin, _ arguments: String...) async throws -> Command.Result {
        let anchors = try file("ca.pem", authority.certificatePEM)
        let fixed = ["curl", "-sS", "--max-time", "10", "--cacert", anchors] + arguments + [origin.url("/x")]
        return try await Command.run(fixed)
    }

    @Test func `answers over TLS and reports the negotiated parameters`() async throws {
        let origin = try ScriptedOrigin(tls: identity) { _, request in [.ok(request.target)] }
        #expect(try await curl(origin, "--http1.1").output == "/x")
        let handshake = try #require(origin.observations.handshakes.first)
        #expect(handshake.version == "TLSv1.3")
        #expect(handshake.cipher.hasPrefix("TLS_"))
        #expect(handshake.serverName == "localhost")
        #expect(handshake.applicationProtocol == "http/1.1")
        #expect(!handshake.isResumed)
        #expect(handshake.clientCertificate == nil)
        #expect(await origin.waitFor { $0.closes.map(\.kind) == [.closeNotify] })
    }

    @Test func `sends a body of many records whole`() async throws {
        let piece = [UInt8](repeating: 0x61, count: 100_000)
        let origin = try ScriptedOrigin(tls: identity) { _, _ in
            [.send("HTTP/1.1 200 \r\nContent-Length: 3000000\r\n\r\n"), .updateKeys, .repeat(piece, count: 30)]
        }
        #expect(try await curl(origin).output.utf8.count == 3_000_000)
    }

    @Test func `sees the alert of a client that knows no such authority`() async throws {
        let origin = try ScriptedOrigin(tls: CertificateAuthority.selfSigned(.localhost)) { _, _ in [.ok()] }
        #expect(try await curl(origin).status == 60)
        #expect(await origin.waitFor { $0.failedHandshakes.map(\.end) == [.alert(48)] })
        #expect(origin.observations.handshakes.isEmpty)
    }

    @Test(arguments: [(ScriptedOrigin.Step.close, Int32(0)), (.closeAbruptly, 1)])
    func `close says close_notify and an abrupt close does not`(step: ScriptedOrigin.Step, status: Int32) async throws {
        let origin = try ScriptedOrigin(tls: identity, onAccept: { _ in [.handshake, step] }) { _, _ in [] }
        let command = ["openssl", "s_client", "-ign_eof", "-connect", "127.0.0.1:\(origin.port)"]
        #expect(try await Command.run(command).status == status)
    }

    @Test func `can send unexpected bytes below TLS`() async throws {
        let origin = try ScriptedOrigin(tls: identity) { _, _ in [.sendBelowTLS(Array("rubbish".utf8)), .close] }
        #expect(try await curl(origin).status == 56)
    }

    @Test func `shakes hands when the script says so`() async throws {
        let origin = try ScriptedOrigin(
            tls: identity, onAccept: { _ in [.receive(100), .handshake, .send("HTTP/1.1 200 \r\n\r\nearly"), .close] }
        ) { _, _ in [] }
        #expect(try await curl(origin).output == "early")
    }

    @Test func `sees a client give up a handshake that never comes`() async throws {
        let origin = try ScriptedOrigin(tls: identity, onAccept: { _ in [.hold] }) { _, _ in [] }
        try RawClient(port: origin.port).finishSending()
        #expect(await origin.waitFor { $0.closes.map(\.kind) == [.fin] })
        #expect(origin.observations.handshakes.isEmpty)
    }

    @Test func `asks for a certificate of the client`() async throws {
        let client = try authority.issue(
            LeafRequest(extensions: [CertificateExtension("extendedKeyUsage", "clientAuth")]))
        let certificate = try file("client.pem", client.certificatePEM + client.privateKeyPEM)
        var options = ScriptedOrigin.TLSOptions()
        options.clientCertificates = .required(authorityPEM: authority.certificatePEM)
        let origin = try ScriptedOrigin(tls: identity, tlsOptions: options) { _, _ in [.ok("in")] }
        #expect(try await curl(origin, "--cert", certificate).output == "in")
        #expect(origin.observations.handshakes.first?.clientCertificate?.first == 0x30)
    }

    @Test func `refuses a client without a certificate`() async throws {
        var options = ScriptedOrigin.TLSOptions()
        options.clientCertificates = .required(authorityPEM: authority.certificatePEM)
        let origin = try ScriptedOrigin(tls: identity, tlsOptions: options) { _, _ in [.ok("in")] }
        #expect(try await curl(origin).status != 0)
        #expect(await origin.waitFor { $0.failedHandshakes.count == 1 })
        #expect(
            origin.observations.failedHandshakes.first?.reason.contains("peer did not return a certificate") == true)
    }

    @Test func `presents another identity to later connections`() async throws {
        let other = try authority.issue(.localhost)
        let origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok()] }
        let pin = { (identity: Identity) in identity.pin.replacing("sha256/", with: "sha256//") }
        #expect(try await curl(origin, "--pinnedpubkey", pin(identity)).status == 0)
        try origin.present(other)
        #expect(try await curl(origin, "--pinnedpubkey", pin(other)).status == 0)
        #expect(try await curl(origin, "--pinnedpubkey", pin(identity)).status == 90)
    }

    @Test func `refuses an identity whose key is another's`() throws {
        let other = try authority.issue(.localhost)
        let mixed = Identity(
            certificatePEM: identity.certificatePEM, chainPEM: identity.chainPEM, privateKeyPEM: other.privateKeyPEM,
            pin: identity.pin)
        #expect(throws: ScriptedOriginError.self) { _ = try ScriptedOrigin(tls: mixed) { _, _ in [] } }
    }
}
