// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

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
