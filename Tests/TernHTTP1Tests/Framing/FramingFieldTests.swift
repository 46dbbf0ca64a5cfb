// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct FramingFieldTests {
    private func field(_ name: String) -> FramingField? { FramingField(name.utf8.span, 0..<name.utf8.count) }

    @Test func `the four fields are known in any case`() {
        #expect(field("Content-Length") == .contentLength)
        #expect(field("TRANSFER-ENCODING") == .transferEncoding)
        #expect(field("connection") == .connection)
        #expect(field("Keep-Alive") == .keepAlive)
    }

    @Test(arguments: ["content-lengti", "transfer-encodinh", "connectioo", "keep-alivf", "", "Content-Type", "Date"])
    func `a name that differs in one letter is another field`(name: String) { #expect(field(name) == nil) }

    @Test func `no length of a known name is left out of the quick look`() {
        for length: UInt32 in [10, 14, 17] { #expect(FramingField.mayHave(length: length)) }
        for length: UInt32 in [0, 9, 11, 31, 32, 42, 46, .max] { #expect(!FramingField.mayHave(length: length)) }
    }

    @Test func `the length and the coding end the content, the other fields do not`() {
        let framing = ["Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Date"].filter {
            FramingField.isFraming($0.utf8.span)
        }
        #expect(framing == ["Content-Length", "Transfer-Encoding"])
    }
}
