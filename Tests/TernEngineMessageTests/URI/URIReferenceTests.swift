// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct URIReferenceTests {
    @Test(
        arguments: [
            ("", nil, nil, "", nil, nil), ("a", nil, nil, "a", nil, nil), ("//", nil, "", "", nil, nil),
            ("s:", "s", nil, "", nil, nil), ("s:a:b", "s", nil, "a:b", nil, nil), (":a", nil, nil, ":a", nil, nil),
            ("/a:b", nil, nil, "/a:b", nil, nil), ("?a:b", nil, nil, "", "a:b", nil),
            ("#a:b", nil, nil, "", nil, "a:b"),
            ("?", nil, nil, "", "", nil), ("#", nil, nil, "", nil, ""), ("?#", nil, nil, "", "", ""),
            ("#?", nil, nil, "", nil, "?"), ("#a#b", nil, nil, "", nil, "a#b"), ("?a?b", nil, nil, "", "a?b", nil),
            ("//h?q", nil, "h", "", "q", nil), ("//h#f", nil, "h", "", nil, "f"), ("///p", nil, "", "/p", nil, nil),
            ("s://u:p@[::1]:8/p//q?r/s#t?u", "s", "u:p@[::1]:8", "/p//q", "r/s", "t?u"),
            ("s:\u{301}//h/p", "s", nil, "\u{301}//h/p", nil, nil), ("//h/\u{301}p", nil, "h", "/\u{301}p", nil, nil),
        ] as [(String, String?, String?, String, String?, String?)])
    func `is taken apart and put together again`(
        _ text: String, _ scheme: String?, _ authority: String?, _ path: String, _ query: String?, _ fragment: String?
    ) {
        let reference = URIReference(text)
        #expect(reference.scheme == scheme)
        #expect(reference.authority == authority)
        #expect(reference.path == path)
        #expect(reference.query == query)
        #expect(reference.fragment == fragment)
        #expect(reference.description.utf8.elementsEqual(text.utf8))
    }

    @Test(
        arguments: [
            ("//h/p", nil, "//h/p"), ("//u@h/p", "u", "//h/p"), ("//u:p@h:1", "u:p", "//h:1"),
            ("//a@b@h", "a@b", "//h"),
            ("//@h", "", "//h"), ("//u@", "u", "//"), ("/u@h", nil, "/u@h"), ("//h/u@p", nil, "//h/u@p"),
        ] as [(String, String?, String)])
    func `userinfo ends at the authority's last at sign`(_ text: String, _ userinfo: String?, _ without: String) {
        let reference = URIReference(text)
        #expect(reference.userinfo == userinfo)
        #expect(reference.replacing(userinfo: nil).description == without)
        #expect(reference.replacing(userinfo: userinfo).description == text)
    }
}
