// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernLock
import TernTesting
import Testing

/// The session against servers that other people wrote.
@Suite struct SessionTests {
    @Test func `nginx keeps the connection alive, plain and secure`() async throws {
        let server = try await NginxServer()
        let session = Session(configuration: try Self.configuration(trusting: server.authority))
        for url in [server.url("/ok?plain"), server.secureURL("/ok?secure")] {
            for _ in 0..<3 {
                let (data, response) = try await session.data(from: try #require(URL(string: url)))
                #expect(response.statusCode == 200)
                #expect(String(decoding: data, as: UTF8.self) == "ok")
            }
        }
        for kind in ["plain", "secure"] {
            #expect(await server.accessLog.waitFor { $0.count(where: { $0.contains("/ok?\(kind)") }) == 3 })
            let connections = server.accessLog.lines.filter { $0.contains("/ok?\(kind)") }.map {
                $0.prefix { $0 != " " }
            }
            #expect(Set(connections).count == 1)
        }
    }

    @Test func `a large body arrives whole, collected and streamed, plain and secure`() async throws {
        let body = Pattern.bytes(20_000_000)
        let server = try await NginxServer(files: ["big": body])
        let session = Session(configuration: try Self.configuration(trusting: server.authority))
        for url in [server.url("/big"), server.secureURL("/big")] {
            let request = Tern.URLRequest(url: try #require(URL(string: url)))
            #expect(try await session.data(for: request).0 == body)
            var streamed = Data()
            for try await piece in try await session.bytes(for: request).0 { streamed.append(piece) }
            #expect(streamed == body)
        }
    }

    @Test(arguments: [OpenSSLServer.Version.tls12, .tls13])
    func `speaks to a server of one TLS version`(version: OpenSSLServer.Version) async throws {
        let authority = try CertificateAuthority()
        let server = try await OpenSSLServer(version, identity: try authority.issue())
        let session = Session(configuration: try Self.configuration(trusting: authority))
        let (data, response) = try await session.data(from: try #require(URL(string: server.url())))
        #expect(response.statusCode == 200)
        #expect(String(decoding: data, as: UTF8.self).contains(version == .tls12 ? "TLSv1.2" : "TLSv1.3"))
    }

    @Test(arguments: [OpenSSLServer.Version.tls12, .tls13])
    func `a wrong pin ends the handshake with either version`(version: OpenSSLServer.Version) async throws {
        let authority = try CertificateAuthority()
        let server = try await OpenSSLServer(version, identity: try authority.issue())
        let policy = ServerTrustPolicy.pinPublicKeys(
            publicKeys: [try X509Certificate.PublicKey(pin: try CertificateAuthority().pin)],
            validateCertificateChain: true,
            validateHost: true)
        let session = Session(
            configuration: try Self.configuration(trusting: authority),
            serverTrustPolicyManager: ServerTrustPolicyManager(policies: ["localhost": policy]))
        let url = try #require(URL(string: server.url()))
        let error = await #expect(throws: SessionError.self) { _ = try await session.data(from: url) }
        #expect(error?.phase == .tls)
        guard case .connecting(.insecure(let tls))? = error?.reason, case .keyNotPinned? = tls.trustFailure?.reason
        else {
            Issue.record("not refused for its pin: \(String(describing: error))")
            return
        }
    }

    @Test func `the system's anchors do not vouch for a test authority`() async throws {
        let server = try await NginxServer()
        let url = try #require(URL(string: server.secureURL()))
        let error = await #expect(throws: SessionError.self) { _ = try await Session().data(from: url) }
        #expect(error?.reason.kind == .trust)
    }

    @Test func `a thousand requests at once are all answered`() async throws {
        let server = try await NginxServer()
        let session = Session(configuration: try Self.configuration(trusting: server.authority))
        let url = try #require(URL(string: server.secureURL()))
        let answered = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1000 { group.addTask { try await session.data(from: url).1.statusCode } }
            return try await group.reduce(0) { $0 + ($1 == 200 ? 1 : 0) }
        }
        #expect(answered == 1000)
    }

    @Test func `nginx is spoken to over Unix domain sockets, plain and secure`() async throws {
        let server = try await NginxServer()
        for (path, url) in [(server.socketPath, "http://a.test/ok"), (server.secureSocketPath, "https://localhost/ok")]
        {
            var configuration = try Self.configuration(trusting: server.authority)
            configuration.unixSocket = try UnixSocketName(path: path)
            let session = Session(configuration: configuration)
            for place in 1...3 {
                let (data, _) = try await session.data(from: try #require(URL(string: url + "?\(path.hashValue)")))
                #expect(String(decoding: data, as: UTF8.self) == "ok")
                #expect(
                    await server.accessLog.waitFor { lines in
                        lines.contains { $0.contains(" \(place) 200 GET /ok?\(path.hashValue)") }
                    })
            }
        }
    }

    static func configuration(trusting authority: CertificateAuthority) throws -> SessionConfiguration {
        var configuration = SessionConfiguration.default
        configuration.tls.anchors = .only(try X509Certificate.all(inPEM: authority.certificatePEM))
        return configuration
    }
}

/// The request chain against servers that other people wrote.
@Suite struct DataRequestTests {
    @Test func `a large body streams whole, though many records come with one read and the stream is slow`()
        async throws
    {
        let body = Pattern.bytes(20_000_000)
        let server = try await NginxServer(files: ["big": body])
        var configuration = SessionConfiguration.default
        configuration.tls.anchors = .only(try X509Certificate.all(inPEM: server.authority.certificatePEM))
        let manager = SessionManager(configuration: configuration)
        for url in [server.url("/big"), server.secureURL("/big")] {
            let received = Received()
            let response = await withCheckedContinuation { continuation in
                manager.request(url).validate().stream { received.append($0) }.response {
                    continuation.resume(returning: $0)
                }
            }
            #expect(response.error == nil)
            #expect(received.data == body)
        }
    }
}

private final class Received: Sendable {
    private let bytes = Lock(Data())
    var data: Data { bytes.withLock { $0 } }
    func append(_ piece: Data) { bytes.withLock { $0.append(piece) } }
}
