// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestPrograms
import Testing

/// `--distrusted`, for requests and in `tern trust`.
@Suite struct TrustDistrustedTests {
    private let authority: CertificateAuthority
    private let issuer: CertificateAuthority
    private let server: Identity
    private let folder: TemporaryFolder
    private let anchors: String
    private let empty: String
    private let list: String

    init() throws {
        authority = try CertificateAuthority()
        issuer = try authority.issueIntermediate()
        server = try issuer.issue()
        folder = try TemporaryFolder()
        anchors = try folder.write(authority.certificatePEM, to: "roots.pem")
        empty = try folder.write(#"{"data": []}"#, to: "empty.json")
        list = try folder.write(
            #"{"data": [{"pubKeyHash": "\#(issuer.pin.dropFirst("sha256/".count))"}]}"#, to: "list.json")
    }

    @Test func `a server is refused by its intermediate, and explained`() async throws {
        let chain = try folder.write(server.chainPEM, to: "chain.pem")
        let arguments = ["--chain", chain, "--host", "localhost", "--anchors", anchors, "--distrusted"]
        let accepted = try await TernTool.run(["trust", "evaluate"] + arguments + [empty])
        #expect(accepted.status == 0, "\(accepted.errors)")
        let refused = try await TernTool.run(["trust", "evaluate"] + arguments + [empty, "--distrusted", list])
        #expect(refused.status == 1 && refused.text.hasPrefix("refuse: distrusted: certificate 1 "), "\(refused.text)")
        let explained = try await TernTool.run(["trust", "explain"] + arguments + [list])
        #expect(explained.status == 1 && explained.text.contains("by its public key"), "\(explained.text)")
        #expect(explained.text.contains("Have another certificate issued"))
    }

    @Test func `requests and watches refuse it, too`() async throws {
        let origin = try ScriptedOrigin(tls: server) { _, _ in [.ok("answer")] }
        let url = "https://localhost:\(origin.port)/"
        let answered = try await TernTool.run("get", url, "--cacert", anchors, "--distrusted", empty)
        #expect(answered.status == 0 && answered.text.contains("answer"), "\(answered.errors)")
        let refused = try await TernTool.run("get", url, "--cacert", anchors, "--distrusted", list)
        #expect(refused.status == 91 && refused.errors.contains("distrusted certificates"), "\(refused.errors)")
        let watched = try await TernTool.run("trust", "watch", url, "--anchors", anchors, "--distrusted", list)
        #expect(watched.status == 1 && watched.text.contains(": distrusted: refused: "), "\(watched.text)")
        #expect(origin.observations.requestCount == 1)
    }

    @Test func `a list that is outdated counts, with a warning, and one that cannot be read ends the command`()
        async throws
    {
        let header = #"{"ContentType":"CRLSet","NumParents":0,"NotAfter":1500000000}"#
        let set = folder.url.appending(path: "crl-set")
        try Data([UInt8(header.utf8.count), 0] + Array(header.utf8)).write(to: set)
        let chain = try folder.write(server.chainPEM, to: "chain.pem")
        let arguments = ["trust", "evaluate", "--chain", chain, "--anchors", anchors, "--distrusted"]
        let outdated = try await TernTool.run(arguments + [set.path])
        #expect(outdated.status == 0 && outdated.errors.contains("the list is outdated since 2017-07-14T02:40:00Z"))
        let earlier = try await TernTool.run(arguments + [set.path, "--at", "2017-01-01"])
        #expect(!earlier.errors.contains("outdated"))
        let broken = try folder.write("{}", to: "broken.json")
        let wrong = try await TernTool.run(arguments + [broken])
        #expect(wrong.status == 2 && wrong.errors.contains("broken.json: line 1, column 1, data: the field is missing"))
        #expect(try await TernTool.run("get", "https://localhost:1/", "--distrusted", broken).status == 82)
        #expect(try await TernTool.run("get", "http://localhost:1/", "--distrusted", empty).status == 2)
        #expect(try await TernTool.run("get", "-k", "https://localhost:1/", "--distrusted", empty).status == 2)
        #expect(try await TernTool.run("trust", "evaluate", "--batch", "/dev/null", "--distrusted", empty).status == 2)
    }
}
