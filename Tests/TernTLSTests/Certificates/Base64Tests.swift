// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernTLS

struct Base64Tests {
    /// RFC 4648 §10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `the vectors of the RFC work in both directions`(plain: String, encoded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(Base64.decode(encoded.utf8) == Array(plain.utf8))
    }

    @Test func `every byte survives`() {
        let bytes = (0...255).map { UInt8($0) }
        #expect(Base64.decode(Base64.encode(bytes).utf8) == bytes)
    }

    @Test(arguments: ["A", "AA", "AAA", "AAAAA", "Zh==", "Zm9=", "Z===", "=Zg=", "Zg==Zg==", "Zm9v\n", "Zm-v", "Zm9é"])
    func `other forms are refused`(text: String) { #expect(Base64.decode(text.utf8) == nil) }
}
