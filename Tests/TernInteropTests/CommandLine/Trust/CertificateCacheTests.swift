// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernTLS
import TernTesting
import Testing

@testable import TernCLI

@Suite struct CertificateCacheTests {
    private func element(_ texts: [String]) throws -> JSONElement {
        let json = "{\"x\": [" + texts.map(JSONText.quoted).joined(separator: ",") + "]}"
        var fields = try JSONFields(reading: Array(json.utf8))
        return try fields.require("x")
    }

    @Test func `a text that is known is not stored a second time`() throws {
        let pem = try CertificateAuthority().certificatePEM
        var cache = CertificateCache()
        let first = try cache.certificates(element([pem]))
        let bytes = cache.bytes
        #expect(bytes == pem.utf8.count)
        #expect(try cache.certificates(element([pem, pem])) == first + first)
        #expect(cache.bytes == bytes)
    }

    @Test func `anchors are indexed once`() throws {
        let pem = try CertificateAuthority().certificatePEM
        var cache = CertificateCache()
        let one = try cache.anchors(element([pem]))
        let bytes = cache.bytes
        #expect(try cache.anchors(element([pem])) == one)
        #expect(cache.bytes == bytes)
    }

    @Test func `the memory is bounded, and what was dropped is read again`() throws {
        let pem = try CertificateAuthority().certificatePEM
        var cache = CertificateCache()
        // Comments make different texts, of a megabyte each, of one certificate.
        for number in 0..<12 {
            let text = String(repeating: "\(number % 10)", count: 1 << 20) + "\(number)\n" + pem
            #expect(try cache.certificates(element([text])).count == 1)
            #expect(cache.bytes <= 8 << 20)
        }
        #expect(cache.bytes > 6 << 20)
        #expect(try cache.certificates(element([pem])).count == 1)
    }
}
