// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing

@testable import TernCLI
@testable import TernTLS

/// The output of `tern trust evaluate` and `explain` about a verdict that depends on revocation.
@Suite struct RevocationVerdictTests {
    private let authority: CertificateAuthority
    private let good, bad: Identity
    private let folder: TemporaryFolder

    init() throws {
        authority = try CertificateAuthority()
        (good, bad) = (try authority.issue(), try authority.issue())
        folder = try TemporaryFolder()
        try folder.write(authority.certificatePEM, to: "roots.pem")
        try folder.write(good.chainPEM, to: "good.pem")
        try folder.write(bad.chainPEM, to: "bad.pem")
        try folder.write(Data(try authority.revocationList(revoking: [bad])), to: "ca.crl")
    }

    private func path(_ name: String) -> String { folder.url.appending(path: name).path }

    private func judge(
        _ command: String, _ chain: String, list: String = "ca.crl", _ arguments: [String] = []
    ) async throws -> TernTool.Result {
        let fixed = ["--chain", path(chain), "--anchors", path("roots.pem"), "--host", "localhost"]
        return try await TernTool.run(["trust", command] + fixed + ["--crl", path(list)] + arguments)
    }

    private func leaf(in object: [String: Any]) throws -> [String: Any] {
        try #require((object["certificates"] as? [[String: Any]])?.first)
    }

    @Test(arguments: [[], ["--pin", "right"], ["--policy", "policy.json"]])
    func `one verdict holds the host, the chain and the revocation`(rule: [String]) async throws {
        let stranger = try CertificateAuthority().pin
        let policy = #"{"pinSets":[{"hosts":["localhost"],"pins":["\#(stranger)"],"mode":"reportOnly"}]}"#
        let file = try folder.write(policy, to: "policy.json")
        let arguments = rule.map { ["right": authority.pin, "policy.json": file][$0] ?? $0 } + ["--json"]
        let accepted = try await judge("evaluate", "good.pem", arguments).object()
        #expect(accepted["reason"] as? String == (rule.first == "--policy" ? "accepted-unpinned" : "accepted"))
        let refused = try await judge("evaluate", "bad.pem", arguments).object()
        #expect(refused["reason"] as? String == "revoked")
        let openSSL = try #require(refused["openssl"] as? [String: Any])
        #expect(openSSL["text"] as? String == "certificate revoked")
        for (object, status) in [(accepted, "good"), (refused, "revoked")] {
            #expect(object["host"] as? String == "localhost")
            #expect(object["chain"] as? String == "verified")
            #expect((object["policy"] as? String)?.hasPrefix("all of: ") == true)
            #expect((object["policy"] as? String)?.contains("host not") == false)
            let revocation = try #require(try leaf(in: object)["revocation"] as? [String: Any])
            #expect(revocation["status"] as? String == status)
            #expect(revocation["source"] as? String == "crl")
        }
    }

    @Test func `an explanation names the host that is refused`() async throws {
        let text = try await judge("explain", "bad.pem").text
        #expect(text.hasPrefix("localhost is REFUSED."))
        #expect(text.contains("certificate revoked"))
        #expect(try await judge("explain", "good.pem").text.contains("good until"))
    }

    @Test func `a list that begins within a second counts in it`() async throws {
        let now = Int64(Date().timeIntervalSince1970)
        let list = try authority.revocationList(
            revoking: [bad], validity: Validity(notBefore: now + 1, notAfter: now + 3600))
        try folder.write(Data(list), to: "next.crl")
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for (offset, status) in [(0, 0), (0.5, 1), (1, 1)] as [(Double, Int32)] {
            let moment = Date(timeIntervalSince1970: Double(now) + offset).formatted(format)
            let result = try await judge("evaluate", "bad.pem", list: "next.crl", ["--at", moment])
            #expect(result.status == status, "\(moment): \(result.text)")
        }
    }

    @Test func `what is not known about a revocation is null`() async throws {
        try folder.write(Data(try CertificateAuthority().revocationList(revoking: [bad])), to: "foreign.crl")
        let object = try await judge("evaluate", "bad.pem", list: "foreign.crl", ["--json"]).object()
        let revocation = try #require(try leaf(in: object)["revocation"] as? [String: Any])
        #expect(Set(revocation.keys) == ["status", "source", "time"])
        #expect(revocation["status"] as? String == "undetermined")
        #expect(revocation["source"] is NSNull)
        #expect(revocation["time"] is NSNull)
    }

    @Test(arguments: ["evaluate", "explain"])
    func `a list that says nothing is a warning that names the certificate`(command: String) async throws {
        let now = Int64(Date().timeIntervalSince1970)
        let stale = Validity(notBefore: now - 7200, notAfter: now - 3600)
        try folder.write(Data(try authority.revocationList(revoking: [bad], validity: stale)), to: "stale.crl")
        try folder.write(Data(try CertificateAuthority().revocationList(revoking: [bad])), to: "foreign.crl")
        for list in ["stale.crl", "foreign.crl"] {
            let result = try await judge(command, "bad.pem", list: list)
            #expect(result.status == 0)
            #expect(result.errors.hasPrefix("tern: warning: certificate 0 ("))
            #expect(result.errors.contains("no given list that is valid covers it"))
        }
        #expect(try await judge(command, "good.pem").errors.isEmpty)
        #expect(try await judge(command, "bad.pem").errors.isEmpty)
    }
}

@Suite struct RevocationReportTests {
    private let certificate: X509Certificate

    init() throws { certificate = try X509Certificate(pem: CertificateAuthority().certificatePEM) }

    private func report(_ status: RevocationFinding.Status, _ source: RevocationFinding.Source?) -> RevocationReport {
        RevocationReport(
            RevocationFinding(depth: 0, certificate: certificate, status: status, source: source, questions: []))
    }

    @Test func `a status is told with its time and its source`() {
        #expect(report(.good(until: 0), .ocsp).text == "good until 1970-01-01T00:00:00Z, by ocsp")
        #expect(report(.revoked(at: 0), .crl).text == "revoked since 1970-01-01T00:00:00Z, by crl")
        #expect(report(.revoked(at: nil), .staple).text == "revoked, by staple")
        #expect(report(.unknown, .ocsp).text == "unknown, by ocsp")
        #expect(report(.undetermined, nil).text == "undetermined")
    }

    @Test func `what is unknown is null in JSON, and not left out`() throws {
        #expect(
            try JSONReport.text(report(.undetermined, nil))
                == #"{"source":null,"status":"undetermined","time":null}"#)
    }
}
