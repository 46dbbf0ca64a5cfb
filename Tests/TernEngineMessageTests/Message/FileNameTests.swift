// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct FileNameTests {
    @Test(arguments: [
        ("a.txt", "a.txt"), ("../../etc/passwd", "passwd"), ("/etc/passwd", "passwd"), ("..\\..\\a.exe", "a.exe"),
        ("a/../b", "b"), (".bashrc", "bashrc"), ("...a", "a"), (" a ", "a"), ("a.", "a"), ("a\u{0}b", "ab"),
        ("a\r\nb", "ab"), ("a\u{1b}[2Jb", "a[2Jb"), ("gpj\u{202e}exe.jpg", "gpjexe.jpg"), ("a b", "a b"),
        ("\u{e4}.txt", "\u{e4}.txt"),
        ("a\u{2028}b", "ab"), (". a", "a"), ("-rf", "rf"), ("--help.txt", "help.txt"), (".-a", "a"), ("-.a", "a"),
        (" - .-- a-b-", "a-b-"), ("../-x", "x"), ("\u{200b}-x", "x"), ("-\u{202e}-x", "x"), ("a--", "a--"),
    ])
    func `one component is left, that hides nothing`(proposed: String, name: String) {
        #expect(FileName.safe(proposed) == name)
    }

    @Test(arguments: ["", ".", "..", "...", "/", "a/", "a/..", "\u{0}", " ", "\\", "\u{200b}", "-", "--", "a/-", ". -"])
    func `or nothing`(proposed: String) {
        #expect(FileName.safe(proposed) == nil)
    }

    @Test func `what is too long is cut between two characters, before its extension`() throws {
        for (character, width) in [("a", 1), ("\u{e4}", 2), ("\u{20ac}", 3), ("\u{1f600}", 4)] {
            let name = try #require(FileName.safe(String(repeating: character, count: 300) + ".tar"))
            #expect(name.utf8.count <= 255 && name.utf8.count > 255 - width)
            #expect(name.hasSuffix(character + ".tar"))
            let bare = try #require(FileName.safe(String(repeating: character, count: 300)))
            #expect(bare.utf8.count <= 255 && bare.utf8.count > 255 - width)
        }
        #expect(FileName.safe("a." + String(repeating: "b", count: 300))?.utf8.count == 255)
    }
}
