// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTLS
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

@Suite struct TLSVersionOptionsTests {
    @Test(
        arguments: [
            ([], TLSProtocolVersion.v1_2, TLSProtocolVersion.v1_3), (["--tlsv1.3"], .v1_3, .v1_3),
            (["--tls-max", "1.2"], .v1_2, .v1_2), (["--tls-max", "1.3"], .v1_2, .v1_3),
            (["--tls-max", "default"], .v1_2, .v1_3), (["--tlsv1.0"], .v1_2, .v1_3), (["-1"], .v1_2, .v1_3),
        ] as [([String], TLSProtocolVersion, TLSProtocolVersion)])
    func `old versions are never spoken, and new ones where they are allowed`(
        arguments: [String], minimum: TLSProtocolVersion, maximum: TLSProtocolVersion
    ) throws {
        var settings = TLSSettings()
        try TLSVersionOptions.parse(arguments).apply(to: &settings)
        #expect(settings.minimumVersion == minimum)
        #expect(settings.maximumVersion == maximum)
    }

    @Test(arguments: [["--tls-max", "1.1"], ["--tls-max", ""], ["--tlsv1.3", "--tls-max", "1.2"]])
    func `versions that leave none are refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try TLSVersionOptions.parse(arguments) }
    }
}

@Suite struct RevocationOptionsTests {
    private func flags(_ arguments: String...) throws -> RevocationFlags? {
        guard case .performRevokedEvaluation(true, let flags)? = try RevocationOptions.parse(arguments).policy else {
            return nil
        }
        return flags
    }

    @Test func `revocation is checked on request, and demanded by the stronger of two requests`() throws {
        #expect(try flags() == nil)
        #expect(try flags("--check-revocation") == .useAnyAvailableMethod)
        #expect(try flags("--cert-status") == [.useAnyAvailableMethod, .requirePositiveResponse])
        #expect(try flags("--check-revocation", "--cert-status")?.contains(.requirePositiveResponse) == true)
    }
}

@Suite struct IdentityOptionsTests {
    private let folder: TemporaryFolder
    private let identity: Identity

    init() throws {
        folder = try TemporaryFolder()
        identity = try CertificateAuthority().issue()
    }

    @Test func `certificate and key come from one file or from two`() throws {
        let one = try folder.write(identity.chainPEM + identity.privateKeyPEM, to: "both.pem")
        let certificate = try folder.write(identity.chainPEM, to: "certificate.pem")
        let key = try folder.write(identity.privateKeyPEM, to: "key.pem")
        let both = try #require(try IdentityOptions.parse(["-E", one]).identity())
        #expect(try IdentityOptions.parse(["--cert", certificate, "--key", key]).identity() == both)
        #expect(try IdentityOptions.parse([]).identity() == nil)
    }

    @Test func `the first colon ends the file's name, and an escaped one does not`() throws {
        let path = try folder.write(identity.chainPEM + identity.privateKeyPEM, to: "a:b.pem")
        let escaped = path.replacing(":", with: #"\:"#)
        #expect(try IdentityOptions.parse(["-E", escaped]).identity() != nil)
        #expect(try IdentityOptions.parse(["-E", escaped + ":password"]).identity() != nil)
        let failure = try #require(throws: CommandFailure.self) { try IdentityOptions.parse(["-E", path]).identity() }
        #expect(failure.message.hasSuffix("/a: No such file or directory"))
        #expect(failure.status == .clientCertificate)
    }

    @Test func `a key without a certificate is wrong usage, and a file that is none a failure`() throws {
        #expect(throws: (any Error).self) { try IdentityOptions.parse(["--key", "x"]).identity() }
        let path = try folder.write("nothing", to: "x.p12")
        #expect(throws: CommandFailure.self) { try IdentityOptions.parse(["-E", path]).identity() }
    }

    @Test func `the options given are known by name`() throws {
        #expect(try IdentityOptions.parse([]).given.isEmpty)
        #expect(try IdentityOptions.parse(["-E", "x", "--key-log", "y"]).given == ["--cert", "--key-log"])
    }
}

@Suite struct UniformTrustPolicyTests {
    @Test func `every host has the same policy`() {
        let manager = UniformTrustPolicy(.disableEvaluation)
        for host in ["a.test", "127.0.0.1", ""] {
            guard case .disableEvaluation? = manager.serverTrustPolicy(forHost: host) else {
                Issue.record("\(host) has another policy")
                return
            }
        }
    }
}
