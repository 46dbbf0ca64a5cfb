// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct StringBytesTests {
    @Test(
        arguments: [
            (Array("grün".utf8), "grün"), ([], ""), ([0x61, 0xff, 0x62], "a\u{fffd}b"), ([0, 0x0a], "\u{0}\n"),
        ] as [([UInt8], String)])
    func `bytes that are no UTF-8 are replaced`(bytes: [UInt8], text: String) {
        #expect(String(decoding: bytes.span) == text)
    }
}
