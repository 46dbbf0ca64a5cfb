// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestPrograms

/// An `openssl ocsp`, and an `openssl ca` behind it that issues and revokes.
///
/// It is started after its certificates have been issued, because they carry its address.
final class OCSPResponder: Sendable {
    let port: UInt16
    /// The authority that issued everything; the responder signs as it.
    let authority: CertificateAuthority
    let folder: TemporaryFolder
    private let certificate: String
    private let key: String

    init() throws {
        authority = try CertificateAuthority()
        port = try LoopbackPort.free().number
        folder = try TemporaryFolder()
        certificate = try folder.write(authority.certificatePEM, to: "ca.pem")
        key = try folder.write(authority.privateKeyPEM, to: "ca.key")
        try folder.write("", to: "index.txt")
        try folder.write("01", to: "crlnumber")
        try folder.write(
            """
            [ca]
            default_ca = tern
            [tern]
            database = \(folder.url.path)/index.txt
            crlnumber = \(folder.url.path)/crlnumber
            certificate = \(certificate)
            private_key = \(key)
            default_md = sha256
            default_crl_days = 1
            unique_subject = no
            """, to: "ca.conf")
    }

    /// A certificate for `localhost` that names the responder, and where a list is, if there is one.
    func issue(listURL: String? = nil) throws -> Identity {
        var extensions = [CertificateExtension("authorityInfoAccess", "OCSP;URI:http://127.0.0.1:\(port)/")]
        if let listURL { extensions.append(CertificateExtension("crlDistributionPoints", "URI:\(listURL)")) }
        return try authority.issue(LeafRequest(extensions: extensions))
    }

    /// Lets `openssl ca` revoke a certificate, or treat it as valid.
    func record(_ identity: Identity, isRevoked: Bool) async throws {
        let file = try folder.write(identity.certificatePEM, to: "\(UUID().uuidString).pem")
        try await run("ca", isRevoked ? "-revoke" : "-valid", file)
    }

    /// The list of what has been revoked, in DER.
    func list() async throws -> Data {
        let (pem, der) = (folder.url.appending(path: "crl.pem").path, folder.url.appending(path: "crl.der"))
        try await run("ca", "-gencrl", "-out", pem)
        _ = try await Command.run(["openssl", "crl", "-in", pem, "-outform", "DER", "-out", der.path])
        return try Data(contentsOf: der)
    }

    /// Answers from what has been recorded until now.
    func start() async throws -> ServerProcess {
        let process = try ServerProcess(
            "openssl",
            ["ocsp", "-index", "index.txt", "-port", "\(port)", "-CA", certificate, "-ndays", "1"]
                + ["-rsigner", certificate, "-rkey", key], package: "openssl", in: folder.url)
        // Not by connecting to it: it would wait for a request, and serve no other.
        let isReady = await process.output.waitFor { $0.contains { $0.contains("waiting for OCSP client") } }
        guard isReady else {
            throw ServerError.silent(program: "openssl ocsp", output: process.output.lines)
        }
        return process
    }

    private func run(_ arguments: String...) async throws {
        let configuration = folder.url.appending(path: "ca.conf").path
        let command = ["openssl", arguments[0], "-config", configuration] + arguments.dropFirst()
        guard try await Command.run(command).status == 0 else {
            throw ServerError.ended(program: command.joined(separator: " "), output: [])
        }
    }
}
