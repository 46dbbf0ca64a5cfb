// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine

@Suite struct URIReferenceLocationTests {
    @Test(arguments: [
        ("/a b", "/a%20b"), (" /a ", "%20/a%20"),
        ("/gr\u{fc}n?\u{20ac}#\u{1f600}", "/gr%C3%BCn?%E2%82%AC#%F0%9F%98%80"),
        ("/a\\b", "/a%5Cb"), ("\\\\evil.example\\x", "%5C%5Cevil.example%5Cx"), ("/\\evil.example", "/%5Cevil.example"),
        ("/a|b<c>\"d\"^`{e}", "/a%7Cb%3Cc%3E%22d%22%5E%60%7Be%7D"), ("/a[0]?b[]=1", "/a%5B0%5D?b%5B%5D=1"),
        ("/a%20b%2f%C3%bc", "/a%20b%2f%C3%bc"), ("/100%", "/100%25"), ("/%zz?%4", "/%25zz?%254"), ("/%%41", "/%25%41"),
        ("#a#b", "#a%23b"), ("?a?b/c", "?a?b/c"), ("/\u{80}", "/%C2%80"), ("", ""),
        ("http://g\\h i/j k", "http://g\\h i/j%20k"), ("http://gr\u{fc}n/\u{fc}", "http://xn--grn-ioa/%C3%BC"),
        ("/-._~!$&'()*+,;=:@09azAZ", "/-._~!$&'()*+,;=:@09azAZ"),
    ])
    func `what no URI has is escaped, and no escape twice`(_ location: String, _ mended: String) throws {
        let reference = try #require(URIReference(location: location.utf8))
        #expect(reference.description == mended)
        #expect(URIReference(location: mended.utf8) == reference)
    }

    @Test func `control characters are refused wherever they are`() {
        for byte in (0...0x1F).map(UInt8.init) + [0x7F] {
            let character = Character(UnicodeScalar(byte))
            for text in [
                "/a\(character)b", "\(character)", "http://h\(character)/", "/?\(character)", "/#\(character)",
            ] {
                #expect(URIReference(location: text.utf8) == nil)
            }
        }
    }

    /// The requested URL is the text that was checked: Foundation adds nothing.
    @Test func `a repaired Location is a valid URL, whatever the byte`() throws {
        for byte in UInt8(0x20)...0xFF where byte != 0x7F {
            let character = Character(UnicodeScalar(byte))
            for text in ["/a\(character)b", "/\(character)", "/?\(character)a", "/#\(character)%"] {
                let mended = try "http://h" + #require(URIReference(location: text.utf8)).description
                let url = URL(string: mended, encodingInvalidCharacters: false)
                #expect(url?.absoluteString == mended)
            }
        }
    }
}
