// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import Testing

@testable import TernTLS

struct PEMBlocksTests {
    private func blocks(_ text: String) -> [(kind: String, contents: [UInt8])] {
        OpenSSLError.clear()
        let bytes = Array(text.utf8)
        return unsafe bytes.withUnsafeBytes { buffer in
            guard let bio = unsafe BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count)) else { return [] }
            defer { unsafe BIO_free(bio) }
            var found: [(kind: String, contents: [UInt8])] = []
            while let block = unsafe PEMBlocks.next(bio) { found.append(block) }
            return found
        }
    }

    @Test func `each block has its kind and its bytes, with headers left out`() {
        let found = blocks(
            """
            text before
            -----BEGIN ONE-----
            AQID
            -----END ONE-----
            text between
            -----BEGIN TWO WORDS-----
            Key: value

            BAU=
            -----END TWO WORDS-----

            """)
        #expect(found.map(\.kind) == ["ONE", "TWO WORDS"])
        #expect(found.map(\.contents) == [[1, 2, 3], [4, 5]])
        #expect(OpenSSLError.drain().last?.reasonNumber == PEM_R_NO_START_LINE)
    }

    @Test func `reading ends at a broken block with its reason in the queue`() {
        let good = "-----BEGIN ONE-----\nAQID\n-----END ONE-----\n"
        #expect(blocks(good + "-----BEGIN ONE-----\n*\n-----END ONE-----\n" + good).count == 1)
        #expect(OpenSSLError.drain().last.map { $0.reasonNumber != PEM_R_NO_START_LINE } == true)
    }
}

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
