// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import TestPrograms
import Testing

/// Signatures of requests, verified by the `openssl` command.
@Suite struct MessageSignatureTests {
    private static let kinds: [(MessageSigningKey.Algorithm, KeyKind, [String])] = [
        (.ecdsaP256SHA256, .p256, ["-sha256"]), (.ecdsaP384SHA384, .p384, ["-sha384"]),
        (.rsaPKCS1SHA256, .rsa(bits: 2048), ["-sha256"]),
        (
            .rsaPSSSHA512, .rsa(bits: 2048),
            ["-sha512", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:64"]
        ),
    ]

    @Test(arguments: kinds)
    func `openssl verifies a signature`(
        algorithm: MessageSigningKey.Algorithm, kind: KeyKind, options: [String]
    ) async throws {
        let folder = try TemporaryFolder()
        let pem = try CertificateAuthority(key: kind).privateKeyPEM
        let signer = HTTPMessageSigner(
            key: try MessageSigningKey(pem: Array(pem.utf8), algorithm: algorithm), keyID: "k",
            covering: ["@method", "@target-uri"])
        var request = try URLRequest(string: "https://a.test/p?q=1")
        try signer.sign(&request, at: Date(timeIntervalSince1970: 1))
        let base = """
            "@method": GET
            "@target-uri": https://a.test/p?q=1
            "@signature-params": ("@method" "@target-uri");created=1;keyid="k"
            """
        let field = try #require(request.headers["Signature"])
        var signature = [UInt8](try #require(Data(base64Encoded: String(field.dropFirst(6).dropLast()))))
        if kind == .p256 || kind == .p384 { signature = Self.sequence(signature) }
        let (key, message) = (try folder.write(pem, to: "key.pem"), try folder.write(base, to: "message"))
        let (binary, shared) = (folder.url.appending(path: "signature"), folder.url.appending(path: "public.pem").path)
        try Data(signature).write(to: binary)
        #expect(try await Command.run(["openssl", "pkey", "-in", key, "-pubout", "-out", shared]).status == 0)
        let verifying = ["openssl", "dgst"] + options + ["-verify", shared, "-signature", binary.path, message]
        let result = try await Command.run(verifying)
        #expect(result.status == 0, "\(result.errors)")
    }

    /// The DER `ECDSA-Sig-Value` of two numbers.
    private static func sequence(_ numbers: [UInt8]) -> [UInt8] {
        let parts = [numbers.prefix(numbers.count / 2), numbers.suffix(numbers.count / 2)].map { number in
            var bytes = Array(number.drop { $0 == 0 })
            if bytes.first.map({ $0 >= 0x80 }) ?? true { bytes.insert(0, at: 0) }
            return [2, UInt8(bytes.count)] + bytes
        }
        return [0x30, UInt8(parts[0].count + parts[1].count)] + parts[0] + parts[1]
    }
}
