// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import Testing
import TestPrograms

/// Mutual TLS with servers that other people wrote, from code and from the command line.
@Suite struct ClientIdentityTests {
    private let authority: CertificateAuthority
    private let folder: TemporaryFolder
    private let anchors: String
    private let own: Identity
    private let certificate: String
    private let key: String

    init() throws {
        authority = try CertificateAuthority()
        folder = try TemporaryFolder()
        anchors = try folder.write(authority.certificatePEM, to: "ca.pem")
        // nginx demands the purpose TLS client.
        own = try authority.issueIntermediate().issue(
            LeafRequest(
                commonName: "tern", dnsNames: [],
                extensions: [CertificateExtension("extendedKeyUsage", "clientAuth")]))
        certificate = try folder.write(own.chainPEM, to: "client.pem")
        key = try folder.write(own.privateKeyPEM, to: "client.key")
    }

    private func nginx(_ version: String, verifying: String = "on") async throws -> NginxServer {
        try await NginxServer(
            directives: """
                ssl_protocols \(version);
                ssl_verify_client \(verifying);
                ssl_verify_depth 3;
                ssl_client_certificate \(anchors);
                location = /who { return 200 "$ssl_client_s_dn"; }
                """)
    }

    private func session(_ server: CertificateAuthority, identified: Bool) throws -> Session {
        var configuration = SessionConfiguration.default
        configuration.tls.anchors = .only(try X509Certificate.all(inPEM: server.certificatePEM))
        if identified {
            configuration.tls.identity = try ClientIdentity(
                pem: Array(own.chainPEM.utf8), privateKeyPEM: Array(own.privateKeyPEM.utf8))
        }
        return Session(configuration: configuration)
    }

    @Test(arguments: ["TLSv1.2", "TLSv1.3"])
    func `nginx knows who we are, on a resumed connection too`(version: String) async throws {
        let server = try await nginx(version + "; keepalive_timeout 0")
        let session = try session(server.authority, identified: true)
        for index in 0..<3 {
            let task = try await RecordedTask.run(session, server.secureURL("/who"))
            #expect(String(decoding: task.body, as: UTF8.self) == "CN=tern")
            #expect(task.tls?.resumed == (index > 0))
        }
    }

    @Test(arguments: ["TLSv1.2", "TLSv1.3"])
    func `nginx knows who we are if the key is elsewhere, on a resumed connection too`(version: String) async throws {
        let server = try await nginx(version + "; keepalive_timeout 0")
        let own = own
        var configuration = SessionConfiguration.default
        configuration.tls.anchors = .only(try X509Certificate.all(inPEM: server.authority.certificatePEM))
        configuration.tls.identity = try ClientIdentity(
            certificates: X509Certificate.all(inPEM: own.chainPEM)
        ) { request in try own.signature(of: request.digest, isPSS: request.algorithm == .rsaPSS) }
        let session = Session(configuration: configuration)
        for index in 0..<3 {
            let task = try await RecordedTask.run(session, server.secureURL("/who"))
            #expect(String(decoding: task.body, as: UTF8.self) == "CN=tern")
            #expect(task.tls?.resumed == (index > 0))
        }
    }

    @Test(arguments: ["TLSv1.2", "TLSv1.3"])
    func `a stored identity is for its server, and its connections carry no request of another`(
        version: String
    ) async throws {
        let server = try await nginx(version, verifying: "optional")
        let other = try authority.issueIntermediate().issue(
            LeafRequest(
                commonName: "other", dnsNames: [],
                extensions: [CertificateExtension("extendedKeyUsage", "clientAuth")]))
        let identities = try [own, other].map {
            try ClientIdentity(pem: Array($0.chainPEM.utf8), privateKeyPEM: Array($0.privateKeyPEM.utf8))
        }
        let storage = CredentialStorage()
        var configuration = SessionConfiguration.default
        configuration.tls.anchors = .only(try X509Certificate.all(inPEM: server.authority.certificatePEM))
        configuration.urlCredentialStorage = storage
        let session = Session(configuration: configuration)
        func space(_ host: String, _ port: UInt16) -> ProtectionSpace {
            ProtectionSpace(
                host: host, port: Int(port), protocol: "https", authenticationMethod: .clientCertificate)
        }
        func who(_ host: String = "localhost") async throws -> String {
            let url = server.secureURL("/who").replacing("localhost", with: host)
            return String(decoding: try await session.data(for: URLRequest(string: url)).0, as: UTF8.self)
        }
        #expect(try await who() == "")
        let credentials = identities.map { Credential(identity: $0, persistence: .permanent) }
        #expect(credentials.map(\.certificates.count) == identities.map(\.certificates.count))
        storage.set(credentials[0], for: space("LOCALHOST", server.securePort))
        storage.set(credentials[1], for: space("localhost", 1))
        for _ in 0..<2 { #expect(try await who() == "CN=tern", "on a connection of its own, which is kept") }
        #expect(try await who("127.0.0.1") == "", "another host")
        storage.setDefaultCredential(credentials[1], for: space("localhost", server.securePort))
        #expect(try await who() == "CN=other")
        storage.remove(credentials[1], for: space("localhost", server.securePort))
        #expect(try await who() == "CN=tern", "the other one is still there")
        storage.remove(credentials[0], for: space("localhost", server.securePort))
        #expect(try await who() == "", "nor is a session resumed that had one")
    }

    @Test func `a stored identity takes the place of the session's, and goes to the hosts that it names`() async throws
    {
        let server = try await nginx("TLSv1.3; keepalive_timeout 0", verifying: "optional")
        let storage = CredentialStorage()
        var configuration = SessionConfiguration.default
        configuration.tls.anchors = .only(try X509Certificate.all(inPEM: server.authority.certificatePEM))
        configuration.tls.identity = try ClientIdentity(
            pem: Array(own.chainPEM.utf8), privateKeyPEM: Array(own.privateKeyPEM.utf8))
        configuration.urlCredentialStorage = storage
        let other = try authority.issue(
            LeafRequest(
                commonName: "other", dnsNames: [],
                extensions: [CertificateExtension("extendedKeyUsage", "clientAuth")]))
        var identity = try ClientIdentity(
            pem: Array(other.chainPEM.utf8), privateKeyPEM: Array(other.privateKeyPEM.utf8))
        let session = Session(configuration: configuration)
        let space = ProtectionSpace(
            host: "localhost", port: Int(server.securePort), protocol: "https",
            authenticationMethod: .clientCertificate)
        func who() async throws -> String {
            let request = try URLRequest(string: server.secureURL("/who"))
            return String(decoding: try await session.data(for: request).0, as: UTF8.self)
        }
        #expect(try await who() == "CN=tern")
        storage.set(Credential(identity: identity, persistence: .forSession), for: space)
        #expect(try await who() == "CN=other")
        identity.hosts = [try HostPattern("elsewhere.test")]
        storage.set(Credential(identity: identity, persistence: .forSession), for: space)
        #expect(try await who() == "")
    }

    @Test func `nginx answers 400 to a client without a certificate`() async throws {
        let server = try await nginx("TLSv1.3")
        let task = try await RecordedTask.run(try session(server.authority, identified: false), server.secureURL())
        #expect(task.status == 400)
    }

    @Test(arguments: [OpenSSLServer.Version.tls12, .tls13])
    func `s_server refuses a client without a certificate, and the error says so`(
        version: OpenSSLServer.Version
    ) async throws {
        let server = try await OpenSSLServer(
            version, identity: try authority.issue(), arguments: ["-Verify", "3", "-CAfile", anchors])
        let welcome = try await RecordedTask.run(try session(authority, identified: true), server.url())
        #expect(welcome.status == 200)
        let refused = try await RecordedTask.run(try session(authority, identified: false), server.url())
        guard case .connecting(.insecure(let error))? = refused.error?.reason,
            case .clientCertificateRequired = error.reason
        else {
            Issue.record("not what it should be: \(String(describing: refused.error))")
            return
        }
    }

    @Test func `tern get takes PEM, an encrypted key, and PKCS#12`() async throws {
        let server = try await nginx("TLSv1.3")
        let trusted = try folder.write(server.authority.certificatePEM, to: "server-ca.pem")
        let encrypted = folder.url.appending(path: "encrypted.key").path
        let combined = folder.url.appending(path: "client.p12").path
        let encrypting = ["openssl", "pkcs8", "-topk8", "-in", key, "-out", encrypted, "-passout", "pass:se:cret"]
        #expect(try await Command.run(encrypting).status == 0)
        let combining = ["openssl", "pkcs12", "-export", "-in", certificate, "-inkey", key, "-out", combined]
        #expect(try await Command.run(combining + ["-passout", "pass:secret"]).status == 0)
        for options in [
            ["--cert", certificate, "--key", key], ["-E", "\(certificate):se:cret", "--key", encrypted],
            ["--cert", "\(combined):secret"],
        ] {
            let result = try await TernTool.run(["get", server.secureURL("/who"), "--cacert", trusted] + options)
            #expect(result.text == "CN=tern")
            #expect(result.status == 0)
        }
    }

    @Test func `tern get says what is wrong with an identity`() async throws {
        for (options, status, word) in [
            (["--cert", "/nonexistent"], 58, "cannot read"),
            (["--cert", certificate], 58, "no private key"),
            (["--cert", certificate, "--key", certificate], 58, "no private key"),
        ] as [([String], Int32, String)] {
            let result = try await TernTool.run(["get", "https://localhost/"] + options)
            #expect(result.status == status)
            #expect(result.errors.contains(word))
        }
    }

    @Test func `tern get logs keys to the given file, readable for its user only`() async throws {
        let server = try await NginxServer()
        let trusted = try folder.write(server.authority.certificatePEM, to: "server-ca.pem")
        let log = folder.url.appending(path: "keys.log").path
        let result = try await TernTool.run(
            "get", server.secureURL(), "--cacert", trusted, "--key-log", log)
        #expect(result.status == 0)
        #expect(try String(contentsOfFile: log, encoding: .utf8).contains("CLIENT_TRAFFIC_SECRET_0 "))
        let attributes = try FileManager.default.attributesOfItem(atPath: log)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
}
