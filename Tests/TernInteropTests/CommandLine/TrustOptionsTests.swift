// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Tern
import TernTesting
import Testing

@testable import TernCLI

@Suite struct TrustOptionsTests {
    private static let pin = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    private func policy(_ arguments: String...) throws -> ServerTrustPolicy? {
        try TrustOptions.parse(arguments).policiesForEveryHost()?.serverTrustPolicy(forHost: "a.test")
    }

    @Test func `without options the session's own policy is used`() throws { #expect(try policy() == nil) }

    @Test func `a pin counts with and without the checks of chain and host`() throws {
        guard case .pinPublicKeys(let keys, true, true)? = try policy("--pin", Self.pin),
            case .pinPublicKeys(_, false, false)? = try policy("--pin", Self.pin, "-k"),
            case .disableEvaluation? = try policy("-k")
        else {
            Issue.record("another policy")
            return
        }
        #expect(keys.map(\.pin) == [Self.pin])
        #expect(throws: (any Error).self) { try policy("--pin", "sha256/x") }
    }

    @Test func `revocation and pins must both accept`() throws {
        guard case .composite(let policies)? = try policy("--pin", Self.pin, "--cert-status") else {
            Issue.record("another policy")
            return
        }
        #expect(policies.count == 2)
    }

    @Test(arguments: [["-k", "--cacert", "x"], ["-k", "--cert-status"], ["-k", "--check-revocation"]])
    func `options that have no effect beside others are refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try TrustOptions.parse(arguments) }
    }

    @Test func `options have no effect over plain http, and are refused there`() throws {
        let (plain, secure) = (try RequestedURL("http://a.test/"), try RequestedURL("https://a.test/"))
        let options = try TrustOptions.parse(["--pin", Self.pin])
        #expect(throws: (any Error).self) { try options.check(plain) }
        try options.check(secure)
        try TrustOptions.parse(["-k"]).check(plain)
    }

    @Test func `a file of authorities that cannot be read is a failure`() throws {
        let folder = try TemporaryFolder()
        for path in ["/nowhere/x", try folder.write("nothing", to: "x")] {
            let options = try TrustOptions.parse(["--cacert", path])
            let failure = try #require(throws: CommandFailure.self) { try options.configuration() }
            #expect(failure.status == .authorities)
        }
        let pem = try folder.write(CertificateAuthority().certificatePEM, to: "ca.pem")
        #expect(try TrustOptions.parse(["--cacert", pem]).configuration().tls.anchors != .system)
    }
}
