// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernSystem

@Suite struct InternationalizedNamesTests {
    @Test(
        arguments: [
            ("b\u{fc}cher.test", "xn--bcher-kva.test"), ("B\u{dc}CHER.test.", "xn--bcher-kva.test."),
            ("fa\u{df}.test", "xn--fa-hia.test"), ("stra\u{1e9e}e.test", "strasse.test"),
            ("a\u{3002}b\u{ff0e}c\u{ff61}test", "a.b.c.test"), ("\u{ff21}.test", "a.test"),
            ("\u{ff11}27.0.0.1", "127.0.0.1"), ("\u{270c}\u{fe0f}.test", "xn--7bi.test"),
            ("\u{26e7}.test", "xn--59h.test"), ("i\u{2764}.test", "xn--i-7iq.test"),
            ("\u{1f600}.test", "xn--e28h.test"),
            ("\u{a9}.test", "xn--gba.test"), ("\u{2665}.test", "xn--g6h.test"),
            ("\u{1f468}\u{200d}\u{1f469}.test", "xn--qq8hc.test"), ("1\u{fe0f}\u{20e3}.test", "xn--1-2sn.test"),
            // A symbol in one label changes no letter of another: that would be another host.
            ("\u{270c}\u{3002}fa\u{df}.test", "xn--7bi.xn--fa-hia.test"),
            ("\u{270c}.b\u{fc}cher.test", "xn--7bi.xn--bcher-kva.test"),
        ])
    func `a name has the form that curl gives it`(name: String, ascii: String) throws {
        let names = try #require(InternationalizedNames.system)
        #expect(names.ascii(name) == ascii && InternationalizedNames.inDNS(name) == ascii)
    }

    /// Some characters stand for a delimiter, and some for nothing: the host would be another one.
    @Test(arguments: [
        "evil\u{ff0f}good.test", "a\u{ff1a}80", "a\u{ff20}b", "\u{2100}.test", "a\u{2488}com", "a\u{2026}\u{270c}.test",
        "a\u{200d}b", "a\u{200c}b.test", "\u{301}a", "g\\r\u{fc}n", "gr\u{fc}n b", "-\u{e9}.test", "a\u{0}\u{e9}",
        "xn--b\u{fc}cher.test", String(repeating: "\u{e9}", count: 80), String(repeating: "\u{1f600}.", count: 300),
    ])
    func `what has no name in DNS stays as it is`(name: String) throws {
        let names = try #require(InternationalizedNames.system)
        #expect(names.ascii(name) == nil && InternationalizedNames.inDNS(name) == name)
    }

    @Test func `ASCII stays as it is, and without the library there are no names`() {
        #expect(InternationalizedNames.inDNS("EXAMPLE.test") == "EXAMPLE.test")
        #expect(InternationalizedNames(library: "libnone.so.0") == nil)
    }
}
