// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct URIReferenceResolutionTests {
    private func resolve(_ reference: String, _ base: String) -> String {
        URIReference(reference).resolved(against: URIReference(base)).description
    }

    @Test(arguments: [
        // RFC 3986 §5.4.1
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
        ("../../g", "http://a/g"),
        // §5.4.2
        ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
    ])
    func `the examples of RFC 3986`(_ reference: String, _ target: String) {
        #expect(resolve(reference, "http://a/b/c/d;p?q") == target)
    }

    @Test(arguments: [
        ("http://a", "g", "http://a/g"), ("http://a", "", "http://a"), ("http://a", "?y", "http://a?y"),
        ("http://a", "..", "http://a/"), ("http://a?q", "g", "http://a/g"), ("http://a?q#f", "", "http://a?q"),
        ("http://a/b?q=/x/y", "g", "http://a/g"), ("http://u:p@a:8/b", "g", "http://u:p@a:8/g"),
        ("http://a/b", "//c:8/d/../e", "http://c:8/e"), ("http://a/b", "//", "http://"),
        ("http://a/b", "///c", "http:///c"),
        ("http://a/b/./../c", "", "http://a/b/./../c"), ("http://a/b", "https://c/./d", "https://c/d"),
        ("http://a/b//c", "../d", "http://a/b/d"), ("http://a/b", "/c//../d", "http://a/c/d"),
        ("http://a/b", "/..//c", "http://a//c"), ("http://a/b", "/.//c", "http://a//c"),
        ("http://a/b", "/%2e%2e/c", "http://a/%2e%2e/c"), ("http://a/b", "?", "http://a/b?"), ("x:a", "b", "x:b"),
        ("x:a/b", "../../c", "x:/c"), ("x:", "../a", "x:a"), ("x:", "./a", "x:a"), ("x:", "..", "x:"),
        ("x:", ".", "x:"),
    ])
    func `other bases`(_ base: String, _ reference: String, _ target: String) {
        #expect(resolve(reference, base) == target)
    }

    @Test func `a path of a hundred thousand dots takes one walk`() {
        let up = String(repeating: "../", count: 100_000)
        let down = String(repeating: "a/", count: 100_000)
        #expect(resolve(up + "g", "http://a/" + down) == "http://a/g")
        #expect(resolve(down + up + "g", "http://a/b") == "http://a/g")
    }
}
