// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import Testing
import TestPrograms

/// Keys that never leave a token of PKCS #11, for the command: engines are a process's, and this one's is not its own.
@Suite struct TokenTests {
    private let authority: CertificateAuthority
    private let folder: TemporaryFolder
    private let anchors: String
    private var environment: [String: String]

    init() async throws {
        authority = try CertificateAuthority()
        folder = try TemporaryFolder()
        anchors = try folder.write(authority.certificatePEM, to: "ca.pem")
        let tokens = folder.url.appending(path: "tokens")
        try FileManager.default.createDirectory(at: tokens, withIntermediateDirectories: true)
        let settings = try folder.write(
            "directories.tokendir = \(tokens.path)\nlog.level = ERROR\n", to: "softhsm.conf")
        environment = TernTool.environment
        environment["SOFTHSM2_CONF"] = settings
        environment["PKCS11_MODULE_PATH"] = try Self.module()
        try await softhsm("--init-token", "--free", "--label", "tern", "--so-pin", "1234", "--pin", "5678")
    }

    private static func module() throws -> String {
        let folders = ["/usr/lib/softhsm", "/usr/lib/x86_64-linux-gnu/softhsm", "/usr/lib/aarch64-linux-gnu/softhsm"]
        guard
            let found = folders.map({ $0 + "/libsofthsm2.so" }).first(where: FileManager.default.fileExists(atPath:))
        else { throw ServerError.notInstalled(program: "softhsm2-util", package: "softhsm2") }
        return found
    }

    private func softhsm(_ arguments: String...) async throws {
        let result = try await Command.run(["/usr/bin/softhsm2-util"] + arguments, environment: environment)
        try #require(result.status == 0, "\(result.errors)")
    }

    private func server(_ version: String) async throws -> NginxServer {
        try await NginxServer(
            directives: """
                ssl_protocols \(version);
                ssl_verify_client on;
                ssl_verify_depth 3;
                ssl_client_certificate \(anchors);
                location = /who { return 200 "$ssl_client_s_dn"; }
                """)
    }

    @Test(arguments: ["TLSv1.2", "TLSv1.3"], [KeyKind.p256, .rsa(bits: 2048)])
    func `a key in a token authenticates the client`(version: String, kind: KeyKind) async throws {
        let own = try authority.issue(
            LeafRequest(
                commonName: "token", dnsNames: [], key: kind,
                extensions: [CertificateExtension("extendedKeyUsage", "clientAuth")]))
        let certificate = try folder.write(own.chainPEM, to: "client.pem")
        let key = try folder.write(own.privateKeyPEM, to: "client.key")
        try await softhsm("--import", key, "--token", "tern", "--label", "mine", "--id", "01", "--pin", "5678")
        try FileManager.default.removeItem(atPath: key)
        let server = try await server(version)
        let authorities = try folder.write(server.authority.certificatePEM, to: "server.pem")
        let uri = "pkcs11:token=tern;object=mine;type=private"
        func run(_ more: String...) async throws -> Command.Result {
            let arguments = ["get", "--cacert", authorities, "--cert", certificate] + more + [server.secureURL("/who")]
            return try await Command.run([TernTool.executable.path] + arguments, environment: environment)
        }
        let inURI = try await run("--key", uri + "?pin-value=5678")
        #expect(String(decoding: inURI.bytes, as: UTF8.self) == "CN=token", "\(inURI.errors)")
        let asked = try await run("--key", uri, "--key-type", "ENG", "--pass", "5678")
        #expect(String(decoding: asked.bytes, as: UTF8.self) == "CN=token", "\(asked.errors)")
        let missing = try await run("--key", "pkcs11:token=tern;object=other?pin-value=5678")
        #expect(missing.status == 58, "\(missing.errors)")
    }
}
