// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TestPrograms

/// Authorities made with `openssl req -x509` and `openssl x509 -req`, with each form of `authorityKeyIdentifier` in
/// tutorials. The results differ much, and are in use.
@Suite struct OpenSSLAuthorityTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func openssl(_ arguments: String) async throws {
        let words = arguments.split(separator: " ").map { word in
            word.contains(".") ? folder.url.appending(path: String(word)).path : String(word)
        }
        let result = try await Command.run(["openssl"] + words)
        try #require(result.status == 0, "openssl \(arguments)")
    }

    @Test(
        arguments: [
            nil, "keyid", "keyid:always", "keyid,issuer", "keyid,issuer:always", "keyid:always,issuer:always",
            "issuer:always",
        ], ["subjectKeyIdentifier=hash", ""])
    func `what openssl makes is accepted`(issuer: String?, intermediate: String) async throws {
        let identifier = issuer.map { "authorityKeyIdentifier=" + $0 } ?? ""
        try folder.write(
            """
            [req]
            distinguished_name = name
            [name]
            [root]
            basicConstraints = critical,CA:TRUE
            subjectKeyIdentifier = hash
            \(identifier)
            [intermediate]
            basicConstraints = CA:TRUE
            \(intermediate)
            \(identifier)
            [leaf]
            subjectAltName = DNS:a.test
            \(identifier)
            """, to: "openssl.cnf")
        let newKey = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config openssl.cnf"
        try await openssl("req -x509 \(newKey) -extensions root -keyout root.key -out root.pem -subj /CN=Root")
        for (name, above) in [("intermediate", "root"), ("leaf", "intermediate")] {
            try await openssl("req -new \(newKey) -keyout \(name).key -out \(name).csr -subj /CN=\(name)")
            try await openssl(
                "x509 -req -in \(name).csr -CA \(above).pem -CAkey \(above).key -set_serial 5 -days 9 "
                    + "-extfile openssl.cnf -extensions \(name) -out \(name).pem")
        }
        let path = { (name: String) in folder.url.appending(path: name) }
        let chain =
            try String(contentsOf: path("leaf.pem"), encoding: .utf8)
            + String(contentsOf: path("intermediate.pem"), encoding: .utf8)
        let file = try folder.write(chain, to: "chain.pem")
        let result = try await TernTool.run(
            "trust", "evaluate", "--host", "a.test", "--chain", file, "--anchors", path("root.pem").path)
        #expect(result.status == 0, "\(result.text)\(result.errors)")
    }
}
