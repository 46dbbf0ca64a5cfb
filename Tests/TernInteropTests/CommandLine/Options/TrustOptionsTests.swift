// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTLS
import TernTesting
import TestPrograms
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

    @Test func `curl's pin is the server's own key, and stands beside the others`() throws {
        let key = "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        guard case .pinSet(let set)? = try policy("--pinnedpubkey", key + ";" + key),
            case .pinSet(let insecure)? = try policy("-k", "--pinnedpubkey", key),
            case .composite(let both)? = try policy("--pinnedpubkey", key, "--pin", Self.pin)
        else {
            Issue.record("another policy")
            return
        }
        #expect(set.pins.map(\.pin) == [Self.pin, Self.pin] && set.scope == .leaf && set.validatesChain)
        #expect(!insecure.validatesChain && both.count == 2)
    }

    @Test func `a pin of an authority is told from one of the server's own key, which is printed as curl takes it`()
        async throws
    {
        let authority = try CertificateAuthority()
        let identity = try authority.issue()
        let origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok("here")] }
        let folder = try TemporaryFolder()
        let anchors = try folder.write(authority.certificatePEM, to: "ca.pem")
        let wrong = try await TernTool.run("--cacert", anchors, "--pinnedpubkey", authority.pin, origin.url("/"))
        let own = "sha256//" + identity.pin.dropFirst("sha256/".count)
        #expect(wrong.status == 90)
        #expect(wrong.errors.contains("the pinned key is that of an authority in the chain"), "\(wrong.errors)")
        #expect(wrong.errors.contains("about the server's own key, here \(own), and --pin"), "\(wrong.errors)")
        for pin in [own, identity.pin, authority.pin + ";" + own] {
            #expect(try await TernTool.run("--cacert", anchors, "--pinnedpubkey", pin, origin.url("/")).text == "here")
        }
        #expect(try await TernTool.run("--cacert", anchors, "--pin", own, origin.url("/")).text == "here")
    }

    @Test(
        "what is no pin is refused with the rule",
        arguments: [
            ("sha256//x", 2, "\"x\" is not padded base64"),
            ("sha256//AAAA", 2, "the pin has 3 bytes where SHA-256 has 32"),
            ("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=;x", 2, "\"x\" does not begin with sha256//"),
            ("/nowhere/x", 90, "No such file"), ("/dev/null", 90, "not a public key in PEM or DER"),
        ])
    func refusedPin(pin: String, status: Int32, rule: String) async throws {
        let result = try await TernTool.run("--pinnedpubkey", pin, "https://127.0.0.1:1/")
        #expect(result.status == status && result.errors.contains(rule), "\(result.errors)")
        #expect(result.errors.contains("--pinnedpubkey"))
    }

    @Test(arguments: [["-k", "--cert-status"], ["-k", "--check-revocation"]])
    func `a check that -k would skip is refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try TrustOptions.parse(arguments) }
    }

    @Test
    func `checks that plain http cannot have are refused there, and the other options stand beside it as in curl`()
        throws
    {
        let (plain, secure) = (try RequestedURL("http://a.test/"), try RequestedURL("https://a.test/"))
        let options = try TrustOptions.parse(["--pin", Self.pin])
        #expect(throws: (any Error).self) { try options.check(plain) }
        try options.check(secure)
        for arguments in [
            ["-k"], ["--cacert", "x"], ["--cert", "x", "--key", "y"], ["--cert-status", "--crlfile", "z"],
        ] {
            try TrustOptions.parse(arguments).check(plain)
        }
    }

    @Test func `files of lists and folders of authorities are read, or refused with their name`() throws {
        let folder = try TemporaryFolder()
        let (list, broken) = ("/nowhere/x", try folder.write("nothing", to: "x"))
        for (arguments, status) in [
            (["--crlfile", list], ExitStatus.revocationLists), (["--crlfile", broken], .revocationLists),
            (["--capath", list], .authorities), (["--capath", broken], .authorities),
        ] {
            let failure = try #require(throws: CommandFailure.self) {
                try TrustOptions.parse(arguments).configuration()
            }
            #expect(failure.status == status && failure.message.contains(arguments[1]), "\(failure.message)")
        }
        let authority = try CertificateAuthority()
        let lists = try folder.write(Data(authority.revocationList(revoking: [])), to: "list.crl")
        let settings = try TrustOptions.parse(["--crlfile", lists, "--capath", folder.url.path]).configuration().tls
        #expect(settings.revocationLists.count == 1 && settings.anchors == .folder(folder.url.path))
        guard case .performRevokedEvaluation(true, let flags)? = try policy("--crlfile", lists) else {
            Issue.record("another policy")
            return
        }
        #expect(flags == [.crl, .networkAccessDisabled, .requirePositiveResponse])
    }

    @Test func `-k reads no authorities, unless one of them may match a pin`() throws {
        #expect(try TrustOptions.parse(["-k"]).configuration().tls.anchors == .only([]))
        #expect(try TrustOptions.parse(["-k", "--cacert", "/nowhere"]).configuration().tls.anchors == .only([]))
        #expect(
            try TrustOptions.parse(["-k", "--pinnedpubkey", "sha256//x"]).configuration().tls.anchors == .only([]))
        #expect(try TrustOptions.parse(["-k", "--pin", Self.pin]).configuration().tls.anchors == .system)
        #expect(try TrustOptions.parse([]).configuration().tls.anchors == .system)
    }

    @Test func `algorithms are those of the options`() throws {
        let settings = try TrustOptions.parse(["--ciphers", "a", "--tls13-ciphers", "b", "--curves", "c"])
            .configuration().tls
        #expect(settings.cipherList == "a" && settings.cipherSuites == "b" && settings.groups == "c")
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

    @Test func `sessions and the name of the protocol are left out on request`() throws {
        var settings = TLSSettings()
        try TLSVersionOptions.parse(["--no-sessionid", "--no-alpn"]).apply(to: &settings)
        #expect(!settings.resumesSessions && settings.applicationProtocols.isEmpty)
        try TLSVersionOptions.parse([]).apply(to: &settings)
        #expect(settings.resumesSessions)
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

    @Test func `a key without a certificate has no effect, as in curl, and a file that is none is a failure`() throws {
        #expect(try IdentityOptions.parse(["--key", "x"]).identity() == nil)
        let path = try folder.write("nothing", to: "x.p12")
        #expect(throws: CommandFailure.self) { try IdentityOptions.parse(["-E", path]).identity() }
    }

    @Test func `the encoding is the option's, whatever the file's name`() throws {
        let one = try folder.write(identity.chainPEM + identity.privateKeyPEM, to: "both.p12")
        let pem = try #require(try IdentityOptions.parse(["--cert", one, "--cert-type", "pem"]).identity())
        let der = Data(try #require(pem.certificates.first).der)
        let certificate = try folder.write(der, to: "certificate.pem")
        let key = try folder.write(identity.privateKeyPEM, to: "key.pem")
        #expect(
            try IdentityOptions.parse(["--cert", certificate, "--cert-type", "DER", "--key", key]).identity()?
                .certificates == [pem.certificates[0]])
        #expect(throws: CommandFailure.self) { try IdentityOptions.parse(["-E", one]).identity() }
        #expect(throws: CommandFailure.self) {
            try IdentityOptions.parse(["-E", one, "--cert-type", "PEM", "--key-type", "DER"]).identity()
        }
    }

    @Test(
        "two answers to one question about a certificate are refused",
        arguments: [
            ["--cert", "a:b", "--pass", "c"],
            ["--cert", "a", "--key-type", "P12"], ["--cert", "a.p12", "--key", "b"],
            ["--cert", "a", "--cert-type", "ENG"],
        ])
    func contradiction(arguments: [String]) {
        #expect {
            try IdentityOptions.parse(arguments).identity()
        } throws: {
            $0 is UsageError || $0 is GrammarError
        }
    }

    @Test func `options about a certificate that is not given have no effect`() throws {
        #expect(
            try IdentityOptions.parse(["--key", "/nowhere", "--pass", "x", "--cert-type", "PEM"]).identity() == nil)
    }

    @Test func `SSLKEYLOGFILE names a log that only its user may read, which grows, and --key-log another`()
        async throws
    {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.ok("fine")] }
        let folder = try TemporaryFolder()
        let anchors = try folder.write(authority.certificatePEM, to: "ca.pem")
        let paths = ["environment", "option"].map { folder.url.appending(path: $0).path }
        let line = [try TernTool.executable.path, "-s", "--cacert", anchors, origin.url("/")]
        var sizes: [Int] = []
        for more in [[], [], ["--key-log", paths[1]]] {
            let result = try await Command.run(
                line + more, environment: TernTool.environment.merging(["SSLKEYLOGFILE": paths[0]]) { $1 })
            #expect(result.output == "fine", "\(result.errors)")
            let attributes = try FileManager.default.attributesOfItem(atPath: paths[0])
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            sizes.append(try Data(contentsOf: URL(filePath: paths[0])).count)
        }
        #expect(sizes[0] > 0 && sizes[1] > sizes[0] && sizes[2] == sizes[1])
        #expect(try String(contentsOfFile: paths[1], encoding: .utf8).contains("CLIENT_TRAFFIC_SECRET_0 "))
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
