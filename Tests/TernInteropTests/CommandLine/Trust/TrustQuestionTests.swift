// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernEngine
import TernTLS
import TernTesting
import Testing

@testable import TernCLI

@Suite struct TrustQuestionTests {
    @Test(arguments: [
        ["https://a.test/", "--chain", "x"], ["--chain", "x", "--pin", "y", "--policy", "z"], ["http://a.test/"],
        ["--chain", "x", "--policy", "z"], ["--chain", "x", "--profile", "other"],
        ["--chain", "x", "--max-path-depth", "11"],
    ])
    func `questions that contradict themselves are refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try TrustQuestion.parse(arguments) }
    }

    @Test(arguments: [
        ["--chain", "/nowhere/x"], ["--chain", "/dev/null", "--at", "yesterday"], ["--pin", "sha256/x"],
        ["--policy", "/nowhere/x", "--host", "a.test"], [],
    ])
    func `what cannot be answered is wrong usage`(arguments: [String]) async throws {
        let question = try TrustQuestion.parse(arguments)
        await #expect(throws: (any Error).self) { try await question.answer() }
    }
}

@Suite struct TrustRuleTests {
    private let trust: ServerTrust
    private let notAfter: Int64 = 1_700_000_000

    init() throws {
        let authority = try CertificateAuthority(
            AuthorityRequest(
                commonName: "Root", validity: Validity(notBefore: 1_000_000_000, notAfter: 2_000_000_000)))
        let leaf = try authority.issue(
            LeafRequest(
                dnsNames: ["a.test"], validity: Validity(notBefore: 1_600_000_000, notAfter: notAfter)))
        trust = ServerTrust(
            sentChain: [try X509Certificate(pem: leaf.certificatePEM)],
            anchors: .only([try X509Certificate(pem: authority.certificatePEM)]), time: notAfter)
    }

    private let rule = TrustRule.policy(.performDefaultEvaluation(validateHost: true))

    @Test func `a moment within the last second is after the end`() {
        var trust = trust
        #expect(rule.evaluate(trust, host: "a.test").isAccepted)
        trust.isBetweenSeconds = true
        #expect(rule.evaluate(trust, host: "a.test").rule == "expired")
    }

    @Test func `without a host no name is checked`() {
        #expect(rule.evaluate(trust, host: "b.test").rule == "name-mismatch")
        #expect(rule.evaluate(trust, host: nil).isAccepted)
    }

    @Test func `another policy must accept, too`() {
        let no = ServerTrustPolicy.customEvaluation { _, _ in false }
        #expect(rule.evaluate(trust, host: "a.test", and: no).rule == "custom-evaluation")
    }

    @Test func `a policy file evaluates listed hosts by their rules, and others by the default one`() {
        let no = ServerTrustPolicy.customEvaluation { _, _ in false }
        let rule = TrustRule.manager(ServerTrustPolicyManager(policies: ["a.test": no]))
        #expect(rule.evaluate(trust, host: "a.test").rule == "custom-evaluation")
        #expect(rule.evaluate(trust, host: nil).isAccepted)
    }
}

@Suite struct CertificateFileTests {
    @Test func `a file has PEM, or one certificate in DER`() throws {
        let folder = try TemporaryFolder()
        let authority = try CertificateAuthority()
        let certificate = try X509Certificate(pem: authority.certificatePEM)
        let pem = try folder.write(authority.certificatePEM + authority.certificatePEM, to: "x.pem")
        let der = try folder.write(Data(certificate.der), to: "x.der")
        #expect(try CertificateFile.certificates(pem, option: "--chain") == [certificate, certificate])
        #expect(try CertificateFile.certificates(der, option: "--chain") == [certificate])
        #expect(try CertificateFile.anchors(der) == .only([certificate]))
        #expect(try CertificateFile.anchors(nil) == .system)
    }

    @Test func `what has no certificate is wrong usage that names the option`() throws {
        let folder = try TemporaryFolder()
        for path in ["/nowhere/x", try folder.write("nothing", to: "x")] {
            let error = try #require(throws: UsageError.self) {
                try CertificateFile.certificates(path, option: "--chain")
            }
            #expect(error.message.hasPrefix("--chain: ") && error.message.contains(path))
        }
    }
}
