// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import TernCLI

@Suite struct DataPartTests {
    @Test func `parts are joined in the order they were given, whatever their kind`() throws {
        let parts = [DataPart.text("a=b"), .raw("@c"), .encoded("d=e f"), .binary("g")]
        #expect(try DataPart.joined(parts.reversed()) == Data("a=b&@c&d=e+f&g".utf8))
    }

    @Test func `a file loses its ends of lines and NULs as text, and nothing as binary`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("a\r\nb\0c\n", to: "file")
        #expect(try DataPart.text("@" + file).bytes() == Data("abc".utf8))
        #expect(try DataPart.binary("@" + file).bytes() == Data("a\r\nb\0c\n".utf8))
        #expect(try DataPart.raw("@x").bytes() == Data("@x".utf8))
    }

    @Test(
        "all five forms are encoded",
        arguments: [
            ("a b", "a+b"), ("=a b", "a+b"), ("n&=a&b", "n&=a%26b"), ("", ""), ("a@b=c", "a@b=c"),
            ("ä/~-._", "%C3%A4%2F~-._"),
        ])
    func encoded(argument: String, body: String) throws {
        #expect(String(decoding: try DataPart.encoded(argument).bytes(), as: UTF8.self) == body)
    }

    @Test func `a combining mark makes no other sign of the one before it`() throws {
        let folder = try TemporaryFolder()
        try folder.write("x", to: "\u{301}f")
        #expect(DataPart.text("@\u{301}f").file == "\u{301}f")
        #expect(DataPart.binary("@\u{301}f").file == "\u{301}f")
        #expect(DataPart.encoded("a@\u{301}f").file == "\u{301}f")
        #expect(try DataPart.encoded("a=\u{301}b").bytes() == Data("a=%CC%81b".utf8))
    }

    @Test func `a file is encoded with its ends of lines, under a name or none`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("a\n", to: "file")
        #expect(try DataPart.encoded("@" + file).bytes() == Data("a%0A".utf8))
        #expect(try DataPart.encoded("n@" + file).bytes() == Data("n=a%0A".utf8))
    }

    @Test func `a file that cannot be read is named`() {
        for part in [DataPart.text("@/nowhere/x"), .binary("@/nowhere/x"), .encoded("@/nowhere/x")] {
            let error = #expect(throws: CommandFailure.self) { try part.bytes() }
            #expect(error?.message.contains("/nowhere/x") == true)
        }
    }
}
