// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing

/// Proof of the fixture itself, with curl as the client.
@Suite struct NginxServerTests {
    @Test func `serves over http and https and logs each request`() async throws {
        let server = try await NginxServer(files: ["a.txt": Data("letter".utf8)])
        let folder = try TemporaryFolder()
        let anchors = try folder.write(server.authority.certificatePEM, to: "ca.pem")
        #expect(try await curl(server.url(), server.url("/a.txt")) == "okletter")
        #expect(try await curl("--cacert", anchors, server.secureURL("/a.txt")) == "letter")
        #expect(await server.accessLog.waitFor { $0.count(where: { $0.contains(" 200 GET ") }) == 3 })
        let requests = server.accessLog.lines.filter { $0.contains(" GET ") }.map {
            $0.split(separator: " ").map(String.init)
        }
        #expect(
            requests.map { $0[1...] } == [
                ["1", "200", "GET", "/ok"], ["2", "200", "GET", "/a.txt"], ["1", "200", "GET", "/a.txt"],
            ])
        #expect(requests[0][0] == requests[1][0])
    }

    @Test func `takes more directives`() async throws {
        let server = try await NginxServer(directives: "location = /gone { return 410 gone; }")
        #expect(try await curl("-w", " %{http_code}", server.url("/gone")) == "gone 410")
    }

    @Test func `leaves no process on its port when it is stopped`() async throws {
        let server = try await NginxServer()
        #expect(LoopbackPort(server.port).accepts())
        await server.stop()
        #expect(!LoopbackPort(server.port).accepts())
        #expect(!LoopbackPort(server.securePort).accepts())
        await server.stop()
    }

    @Test func `says what is wrong with its directives`() async throws {
        let error = await #expect(throws: ServerError.self) { _ = try await NginxServer(directives: "nonsense;") }
        #expect(error?.description.contains(#"unknown directive "nonsense""#) == true)
    }
}

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

@Suite struct ServerProcessTests {
    @Test func `names the package of a missing program`() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: ServerError.self) {
            _ = try ServerProcess("no-such-server", [], package: "some-package", in: folder.url)
        }
        #expect(error?.description == "no-such-server is not installed: apt-get install some-package")
    }

    @Test func `reports the output of a program that ended too soon`() async throws {
        let folder = try TemporaryFolder()
        let process = try ServerProcess("sh", ["-c", "echo no luck"], package: "dash", in: folder.url)
        #expect(await process.output.waitFor { $0 == ["no luck"] })
        let port = try LoopbackPort.free().number
        await #expect(throws: ServerError.self) { try await process.waitUntilListening(on: port) }
    }
}
