// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import Testing
import TestPrograms

/// Timestamps of logs that `s_server` sends and staples, and that it verifies itself.
@Suite struct TransparencyTests {
    private let authority: CertificateAuthority
    private let logs: [TransparencyTestLog]
    private let folder: TemporaryFolder
    private let now = Int64(Date().timeIntervalSince1970)
    private let short = LeafRequest(dnsNames: ["localhost"], validity: .days(-1, to: 89))

    init() throws {
        authority = try CertificateAuthority()
        logs = [try TransparencyTestLog("a", operatorName: "One"), try TransparencyTestLog("b", operatorName: "Two")]
        folder = try TemporaryFolder()
    }

    private func session(_ mode: TransparencyPolicy.Mode = .enforce) throws -> Session {
        var configuration = SessionConfiguration.default
        configuration.tls.anchors = .only(try X509Certificate.all(inPEM: authority.certificatePEM))
        let known = logs.compactMap {
            TransparencyLog(description: $0.name, operatorName: $0.operatorName, key: $0.publicKey)
        }
        let list = TransparencyLogList(logs: known, time: now)
        return Session(
            configuration: configuration,
            serverTrustPolicyManager: ServerTrustPolicyManager(
                policies: ["localhost": .certificateTransparency(.chrome(list, mode: mode))]))
    }

    private func embedded(_ logs: [TransparencyTestLog]) throws -> Identity {
        try authority.issue(short) { entry throws(CertificateAuthorityError) in
            var timestamps: [[UInt8]] = []
            for log in logs { timestamps.append(try log.timestamp(of: entry, at: now)) }
            return TransparencyTestLog.list(timestamps)
        }
    }

    /// For a certificate without timestamps in it.
    private func list(for identity: Identity) throws -> [UInt8] {
        let der = try X509Certificate(pem: identity.certificatePEM).der
        return TransparencyTestLog.list(try logs.map { try $0.timestamp(of: .certificate(der), at: now) })
    }

    @Test func `a session gets what it asks for if the certificate is in enough logs`() async throws {
        let origin = try ScriptedOrigin(tls: try embedded(logs)) { _, _ in [.ok("fine")] }
        let session = try session()
        let (first, second) = (
            try await RecordedTask.run(session, origin.url()), try await RecordedTask.run(session, origin.url())
        )
        #expect(first.status == 200 && second.status == 200)
    }

    @Test(arguments: [OpenSSLServer.Version.tls12, .tls13])
    func `one log is too few, unless that is only reported`(version: OpenSSLServer.Version) async throws {
        let server = try await OpenSSLServer(version, identity: try embedded([logs[0]]))
        let refused = try await RecordedTask.run(try session(), server.url())
        #expect(refused.error?.reason.rule == "certificate-transparency" && refused.status == nil)
        #expect(try await RecordedTask.run(try session(.reportOnly), server.url()).status == 200)
    }

    @Test(arguments: [OpenSSLServer.Version.tls12, .tls13])
    func `a server's timestamps count`(version: OpenSSLServer.Version) async throws {
        let identity = try authority.issue(short)
        let list = try list(for: identity)
        // A client's hello, a server's hello of TLS 1.2, and a certificate of TLS 1.3.
        let info: [UInt8] = [0, 0, 0x11, 0x80, 0, 18, UInt8(list.count >> 8), UInt8(list.count & 0xff)] + list
        let pem = """
            -----BEGIN SERVERINFOV2 FOR TIMESTAMPS-----
            \(Data(info).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed]))
            -----END SERVERINFOV2 FOR TIMESTAMPS-----

            """
        let file = try folder.write(Data(pem.utf8), to: "info.pem")
        let server = try await OpenSSLServer(version, identity: identity, arguments: ["-serverinfo", file])
        let session = try session()
        #expect(try await RecordedTask.run(session, server.url()).status == 200)
        let second = try await RecordedTask.run(session, server.url())
        #expect(second.status == 200 && second.tls?.resumed == true)
        let plain = try await OpenSSLServer(version, identity: identity)
        let refused = try await RecordedTask.run(try self.session(), plain.url())
        #expect(refused.error?.reason.rule == "certificate-transparency")
    }

    @Test(arguments: [OpenSSLServer.Version.tls12, .tls13])
    func `timestamps of a staple count`(version: OpenSSLServer.Version) async throws {
        let identity = try authority.issue(short)
        let staple = try authority.ocspResponse(about: identity, .good, timestamps: try list(for: identity))
        let file = try folder.write(Data(staple), to: "response.der")
        let server = try await OpenSSLServer(version, identity: identity, arguments: ["-status_file", file])
        #expect(try await RecordedTask.run(try session(), server.url()).status == 200)
    }

    /// So that test and code are not wrong in the same way.
    @Test func `openssl finds the same timestamps valid`() async throws {
        let server = try await OpenSSLServer(.tls13, identity: try embedded(logs))
        var text = "enabled_logs=a,b\n"
        for log in logs {
            text += "[\(log.name)]\ndescription=\(log.name)\nkey=\(Data(log.publicKey).base64EncodedString())\n"
        }
        let file = try folder.write(Data(text.utf8), to: "logs.cnf")
        let roots = try folder.write(Data(authority.certificatePEM.utf8), to: "roots.pem")
        let command =
            "openssl s_client -ct -ctlogfile '\(file)' -CAfile '\(roots)' -connect 127.0.0.1:\(server.port)"
            + " -servername localhost </dev/null"
        let output = try await Command.run(["sh", "-c", command]).output
        #expect(output.components(separatedBy: "SCT validation status: valid").count == 3, "\(output)")
    }
}
