// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing

/// Revocation as the command line has it: with the lists of `openssl ca`, and by asking `openssl ocsp`.
@Suite struct TrustRevocationTests {
    @Test func `a list refuses what it revokes and nothing else`() async throws {
        let responder = try OCSPResponder()
        let (good, bad) = (try responder.issue(), try responder.issue())
        try await responder.record(bad, isRevoked: true)
        let list = try responder.folder.write(try await responder.list(), to: "ca.crl")
        let anchors = responder.folder.url.appending(path: "ca.pem").path
        for (identity, verdict, status) in [(good, "accept: ", 0), (bad, "refuse: revoked: ", 1)] {
            let chain = try responder.folder.write(identity.chainPEM, to: "chain.pem")
            let arguments = ["--host", "localhost", "--chain", chain, "--anchors", anchors, "--crl", list]
            let result = try await TernTool.run(["trust", "evaluate"] + arguments)
            #expect(result.text.hasPrefix(verdict))
            #expect(result.status == Int32(status))
        }
    }

    @Test(arguments: [OpenSSLServer.Version.tls12, .tls13])
    func `a responder is asked if one says so`(version: OpenSSLServer.Version) async throws {
        let responder = try OCSPResponder()
        let (good, bad) = (try responder.issue(), try responder.issue())
        try await responder.record(good, isRevoked: false)
        try await responder.record(bad, isRevoked: true)
        let process = try await responder.start()
        defer { process.release() }
        let anchors = ["--cacert", responder.folder.url.appending(path: "ca.pem").path]
        for (identity, status) in [(good, Int32(0)), (bad, 1)] {
            let server = try await OpenSSLServer(version, identity: identity)
            for flag in ["--check-revocation", "--cert-status"] {
                let fetched = try await TernTool.run(["get", server.url(), flag] + anchors)
                #expect(fetched.status == (status == 0 ? 0 : 91))
                let pinned = try await TernTool.run(
                    ["get", server.url(), flag, "--pin", identity.pin] + anchors)
                #expect(pinned.status == (status == 0 ? 0 : 91))
                #expect(fetched.errors.contains("was revoked") == (status == 1))
                let judged = try await TernTool.run(["trust", "evaluate", server.url(), flag] + anchors)
                #expect(judged.text.hasPrefix(status == 0 ? "accept: " : "refuse: revoked: "))
                #expect(judged.status == status)
            }
            #expect(try await TernTool.run(["get", server.url()] + anchors).status == 0)
        }
    }

    @Test(arguments: [OpenSSLServer.Version.tls12, .tls13])
    func `a staple is taken into account where nothing else answers`(version: OpenSSLServer.Version) async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue()
        let folder = try TemporaryFolder()
        let anchors = ["--cacert", try folder.write(authority.certificatePEM, to: "ca.pem")]
        let staple = try folder.write(Data(try authority.ocspResponse(about: identity, .good)), to: "response.der")
        for (arguments, status) in [(["-status_file", staple], Int32(0)), ([], 1)] {
            let server = try await OpenSSLServer(version, identity: identity, arguments: arguments)
            for command in [["get"], ["trust", "evaluate"]] {
                let strict = try await TernTool.run(command + [server.url(), "--cert-status"] + anchors)
                let expected = status == 1 && command == ["get"] ? 91 : status
                #expect(strict.status == expected, "\(strict.text)\(strict.errors)")
                let lenient = try await TernTool.run(command + [server.url(), "--check-revocation"] + anchors)
                #expect(lenient.status == 0)
            }
        }
    }

    @Test func `nothing can be asked about a chain that is not looked at`() async throws {
        let result = try await TernTool.run("get", "https://localhost:1/", "-k", "--cert-status")
        #expect(result.status == 2 || result.status == 64)
        #expect(result.errors.contains("-k"))
    }

    @Test func `a file that is no list is wrong usage`() async throws {
        let folder = try TemporaryFolder()
        let authority = try CertificateAuthority()
        let chain = try folder.write(try authority.issue().chainPEM, to: "chain.pem")
        for file in [chain, "/nonexistent"] {
            let result = try await TernTool.run("trust", "evaluate", "--chain", chain, "--crl", file)
            #expect(result.status == 2)
            #expect(result.errors.contains("--crl"))
        }
    }
}
