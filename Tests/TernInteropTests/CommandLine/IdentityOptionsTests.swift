// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import TernTesting
import Testing

@testable import TernCLI

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
