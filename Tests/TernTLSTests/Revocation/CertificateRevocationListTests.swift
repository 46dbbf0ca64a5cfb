// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

struct CertificateRevocationListTests {
    private let issuer: CertificateAuthority
    private let leaf: Identity

    init() throws {
        issuer = try CertificateAuthority().issueIntermediate()
        leaf = try issuer.issue()
    }

    private static func wrapped(_ text: String) -> String {
        stride(from: 0, to: text.count, by: 64)
            .map { String(text.dropFirst($0).prefix(64)) }.joined(separator: "\n")
    }

    @Test func `a list has its dates and its size`() throws {
        let der = try issuer.revocationList(
            revoking: [leaf], validity: Validity(notBefore: 1_600_000_000, notAfter: 1_700_000_000))
        let list = try CertificateRevocationList(der: der)
        #expect(list.thisUpdate == 1_600_000_000)
        #expect(list.nextUpdate == 1_700_000_000)
        #expect(list.size == der.count)
    }

    @Test func `lists are equal if their bytes are`() throws {
        let der = try issuer.revocationList(revoking: [])
        #expect(try CertificateRevocationList(der: der) == CertificateRevocationList(der: der))
        let other = try issuer.revocationList(revoking: [leaf])
        #expect(try CertificateRevocationList(der: der) != CertificateRevocationList(der: other))
    }

    @Test func `lists are read from DER and from PEM`() throws {
        let der = try issuer.revocationList(revoking: [leaf])
        let pem = "text\n-----BEGIN X509 CRL-----\n\(Base64.encode(der))\n-----END X509 CRL-----\n"
        let wrapped = pem.replacing(Base64.encode(der), with: Self.wrapped(Base64.encode(der)))
        let list = try CertificateRevocationList(der: der)
        #expect(try CertificateRevocationList.all(in: der) == [list])
        #expect(try CertificateRevocationList.all(in: Array((wrapped + wrapped).utf8)) == [list, list])
        #expect(list.issuer.contains("Intermediate"))
        for (bytes, reason) in [
            (Array(leaf.chainPEM.utf8), RevocationError.Reason.noList), (Array(der.dropLast()), .invalidDER),
            (der + [0], .invalidDER), ([], .noList),
        ] {
            let error = try #require(throws: RevocationError.self) { try CertificateRevocationList.all(in: bytes) }
            #expect(error.reason == reason)
        }
        #expect(OpenSSLError.drain().isEmpty)
    }
}

struct PEMBlocksRevocationTests {
    private func block(_ kind: String, _ contents: String) -> String {
        "-----BEGIN \(kind)-----\n\(contents)\n-----END \(kind)-----\n"
    }

    @Test func `blocks of one kind are read in order, past text and other kinds`() throws {
        let text = "a note\n" + block("X509 CRL", "AQID") + block("CERTIFICATE", "/w==") + block("X509 CRL", "BA==")
        #expect(try PEMBlocks.read(Array(text.utf8), named: "X509 CRL") == [[1, 2, 3], [4]])
        #expect(try PEMBlocks.read(Array(text.utf8), named: "CERTIFICATE") == [[255]])
        #expect(try PEMBlocks.read(Array(text.utf8), named: "OTHER").isEmpty)
        #expect(try PEMBlocks.read([], named: "X509 CRL").isEmpty)
    }

    @Test func `a broken block is an error, of whatever kind it is`() throws {
        for broken in [block("X509 CRL", "*"), block("CERTIFICATE", "*"), "-----BEGIN X509 CRL-----\nAQID\n"] {
            let text = Array((block("X509 CRL", "AQID") + broken).utf8)
            let error = try #require(throws: RevocationError.self) { try PEMBlocks.read(text, named: "X509 CRL") }
            #expect(error.reason == .invalidPEM)
            #expect(!error.openSSL.isEmpty)
        }
    }
}
