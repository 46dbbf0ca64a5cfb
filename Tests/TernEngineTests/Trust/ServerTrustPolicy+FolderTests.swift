// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTLS
import TernTesting
import TestProofs
import Testing

@testable import TernEngine

/// The 79th of Alamofire's situations, `testOnlyValidCertificatesAreDetected`, is the first test here.
@Suite struct ServerTrustPolicyFolderTests {
    @Test(.proves("13.15a", "13.18a")) func `DER files with six extensions are read, and all others skipped`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tern-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let authority = try CertificateAuthority()
        func write(_ bytes: [UInt8], _ name: String) throws { try Data(bytes).write(to: folder.appending(path: name)) }
        var expected: [X509Certificate] = []
        for name in ["a.cer", "b.CER", "c.crt", "d.CRT", "e.der", "f.DER"] {
            let certificate = try X509Certificate(pem: try authority.issue().certificatePEM)
            expected.append(certificate)
            try write(certificate.der, name)
        }
        let (der, identity) = (try #require(expected.first).der, try authority.issue())
        try write(der, "g.Cer")
        try write(der, "h.txt")
        try write(der, "cer")
        try write(der + [0], "i.der")
        try write(der.dropLast(), "j.der")
        try write(Array(identity.certificatePEM.utf8), "k.crt")
        try write(Array(identity.privateKeyPEM.utf8), "l.der")
        try write([], "m.cer")
        try FileManager.default.createDirectory(at: folder.appending(path: "n.cer"), withIntermediateDirectories: true)

        #expect(ServerTrustPolicy.certificates(in: folder) == expected)
        #expect(ServerTrustPolicy.publicKeys(in: folder) == expected.map(\.publicKey))
        #expect(ServerTrustPolicy.certificates(in: folder.appending(path: "nowhere")).isEmpty)
    }
}
