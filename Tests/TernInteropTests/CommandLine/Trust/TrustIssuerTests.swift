// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing

/// Servers of `openssl s_server` that do not send their intermediate, or that staple nothing, as the command line has
/// them.
@Suite struct TrustIssuerTests {
    private let root: CertificateAuthority
    private let intermediate: CertificateAuthority
    /// Serves the intermediate.
    private let place: ScriptedOrigin
    private let leaf: Identity
    private let folder: TemporaryFolder
    private let anchors: [String]

    init() throws {
        root = try CertificateAuthority()
        intermediate = try root.issueIntermediate()
        let der = try intermediate.certificateDER()
        place = try ScriptedOrigin { _, _ in [.respond(body: der)] }
        let extensions = [
            CertificateExtension("authorityInfoAccess", "caIssuers;URI:\(place.url("/ca.der"))"),
            CertificateExtension("tlsfeature", "status_request"),
        ]
        leaf = try intermediate.issue(LeafRequest(extensions: extensions))
        folder = try TemporaryFolder()
        anchors = ["--cacert", try folder.write(root.certificatePEM, to: "roots.pem")]
    }

    private func short(_ version: OpenSSLServer.Version) async throws -> OpenSSLServer {
        try await OpenSSLServer(version, identity: leaf.sending(chainPEM: leaf.certificatePEM))
    }

    @Test(arguments: [OpenSSLServer.Version.tls12, .tls13])
    func `an intermediate is fetched if one says so, and the command tells`(version: OpenSSLServer.Version) async throws
    {
        let server = try await short(version)
        for command in [["get"], ["trust", "evaluate"], ["trust", "explain"]] {
            #expect(try await TernTool.run(command + [server.url()] + anchors).status != 0)
        }
        #expect(place.connectionCount == 0)
        let told =
            "the server did not send CN=Tern Test Intermediate CA, which was fetched from \(place.url("/ca.der")): append"
        let fetched = try await TernTool.run(["-v", server.url(), "--fetch-issuers"] + anchors)
        #expect(fetched.status == 0 && fetched.errors.contains("*  incomplete: \(told)"), "\(fetched.errors)")
        let pinned = try await TernTool.run(
            ["get", server.url(), "--fetch-issuers", "--pin", intermediate.pin] + anchors)
        #expect(pinned.status == 0)
        let explained = try await TernTool.run(["trust", "explain", server.url(), "--fetch-issuers"] + anchors)
        #expect(explained.status == 0 && explained.text.contains("Other clients refuse the server: \(told)"))
        #expect(explained.text.contains("fetched  \(place.url("/ca.der"))"), "\(explained.text)")
        let judged = try await TernTool.run(["trust", "evaluate", "--json", server.url(), "--fetch-issuers"] + anchors)
        let chain = try #require(try judged.object()["certificates"] as? [[String: Any]])
        #expect(chain.map { $0["fetched_from"] as? String } == [nil, place.url("/ca.der"), nil])
        let watched = try await TernTool.run(
            ["trust", "watch", server.url(), "--fetch-issuers", "--expires-within", "0"] + anchors)
        #expect(
            watched.status == 1 && watched.text.hasPrefix("\(server.url()): fetched-issuer: \(told)"), "\(watched.text)"
        )
        #expect(place.requests.count == 5)
    }

    @Test func `a chain in a file is completed as well, and a wrong pin stays wrong`() async throws {
        let chain =
            ["--host", "localhost", "--chain", try folder.write(leaf.certificatePEM, to: "chain.pem")] + anchors
        let without = try await TernTool.run(["trust", "evaluate"] + chain)
        #expect(without.text.hasPrefix("refuse: missing-issuer: "))
        #expect(try await TernTool.run(["trust", "evaluate", "--fetch-issuers"] + chain).text.hasPrefix("accept: "))
        let policies = [(intermediate.pin, "accept: "), (try CertificateAuthority().pin, "refuse: key-not-pinned: ")]
        for (pin, verdict) in policies {
            let policy = try folder.write(
                #"{"pinSets": [{"hosts": ["localhost"], "pins": ["\#(pin)"]}]}"#, to: "policy.json")
            let result = try await TernTool.run(["trust", "evaluate", "--fetch-issuers", "--policy", policy] + chain)
            #expect(result.text.hasPrefix(verdict), "\(result.text)\(result.errors)")
        }
    }

    @Test(arguments: [OpenSSLServer.Version.tls12, .tls13])
    func `a staple that the certificate requires is required if one says so`(version: OpenSSLServer.Version)
        async throws
    {
        let response = try folder.write(Data(try intermediate.ocspResponse(about: leaf, .good)), to: "response.der")
        for (arguments, status) in [(["-status_file", response], Int32(0)), ([], 91)] {
            let server = try await OpenSSLServer(version, identity: leaf, arguments: arguments)
            #expect(try await TernTool.run([server.url()] + anchors).status == 0)
            #expect(try await TernTool.run([server.url(), "--must-staple"] + anchors).status == status)
            for command in ["evaluate", "watch"] {
                let result = try await TernTool.run(
                    ["trust", command, server.url(), "--must-staple"] + anchors
                        + (command == "watch" ? ["--expires-within", "0"] : []))
                #expect(result.status == (status == 0 ? 0 : 1), "\(result.text)\(result.errors)")
                #expect(result.text.contains("missing-staple") == (status != 0))
            }
        }
        #expect(place.connectionCount == 0)
    }

    @Test func `options that have no effect are told`() async throws {
        let chain = ["--chain", try folder.write(leaf.chainPEM, to: "chain.pem")] + anchors
        #expect(try await TernTool.run(["trust", "evaluate", "--must-staple"] + chain).status == 2)
        for option in ["--fetch-issuers", "--must-staple"] {
            #expect(try await TernTool.run(["-k", option, "https://localhost:1/"]).status == 2)
        }
        #expect(try await TernTool.run(["--must-staple", "http://localhost:1/"]).status == 2)
    }
}
