// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct ContentCodingTests {
    @Test(arguments: [
        (["gzip"], [ContentCoding.gzip]),
        (["x-gzip"], [.gzip]),
        (["GZip"], [.gzip]),
        (["deflate"], [.deflate]),
        (["identity"], []),
        ([], []),
        ([""], []),
        (["deflate, gzip"], [.deflate, .gzip]),
        (["deflate", "gzip"], [.deflate, .gzip]),
        ([" \tgzip\t ,, identity,\tX-GZIP ,"], [.gzip, .gzip]),
    ])
    func `knows the codings of a message, in the order applied`(values: [String], codings: [ContentCoding]) {
        #expect(ContentCoding.applied(in: values) == codings)
    }

    @Test(arguments: [
        "br", "zstd", "compress", "gzip, br", "br, gzip", "gzip;q=1", "gz ip", "\"gzip\"", "gzıp", "gzip\u{0}",
    ])
    func `takes nothing off where one coding is unknown`(value: String) {
        #expect(ContentCoding.applied(in: [value]) == [])
        #expect(ContentCoding.applied(in: ["gzip", value]) == [])
    }

    @Test func `asks for what it knows`() {
        #expect(ContentCoding.applied(in: [ContentCoding.acceptEncoding]) == [.gzip, .deflate])
    }
}
