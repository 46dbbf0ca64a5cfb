// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernCLI

@Suite struct URLPatternTests {
    @Test(
        "a pattern stands for the URLs that curl makes of it, the last one changing fastest",
        arguments: [
            ("x/a", ["x/a"]), ("x/{a,b}", ["x/a", "x/b"]), ("{a,b}[1-2]", ["a1", "a2", "b1", "b2"]),
            ("[1-5:2]", ["1", "3", "5"]),
            ("[008-010]", ["008", "009", "010"]), ("[a-c]", ["a", "b", "c"]), ("[X-Z:2]", ["X", "Z"]),
            ("{a,,b}", ["a", "", "b"]),
            (#"\[1-2\]\{a\}"#, ["[1-2]{a}"]), (#"{a\,b,c}"#, ["a,b", "c"]), ("[::1]/[1-2]", ["[::1]/1", "[::1]/2"]),
            ("http://[fe80::1%25eth0]/", ["http://[fe80::1%25eth0]/"]), ("[3-3]", ["3"]), (#"a\b"#, [#"a\b"#]),
            ("?a[]=1&b[]={}", ["?a[]=1&b[]={}"]), ("?f[]={a,b}", ["?f[]=a", "?f[]=b"]), ("{}{a}[]", ["{}a[]"]),
        ])
    func pattern(text: String, urls: [String]) throws {
        let pattern = try URLPattern(text)
        #expect((0..<pattern.count).map { pattern[$0].text } == urls)
        #expect(URLPattern.isPlain(text) == !text.contains { "[]{}\\".contains($0) })
    }

    @Test(
        "what is no pattern is refused as a malformed URL, with the place",
        arguments: [
            "{a,b", "a}", "a]", "[1-", "[1]", "[2-1]", "[a-Z]", "[1-2:0]", "[1-2:9]", "{a,{b}}", "[ab-c]",
            "[-1-2]",
            "[1-999999999]", "[1-1000][1-1000]", "{a", "[99999999999999999999-2]", #"{a\"#,
        ])
    func malformed(text: String) throws {
        let failure = try #require(throws: CommandFailure.self) { try URLPattern(text) }
        #expect(failure.status == .malformedURL && failure.message.contains("\"\(text)\""))
    }

    @Test func `the words of patterns stand in the name of a file where their numbers are`() throws {
        let pattern = try URLPattern("{a,b}/[1-2]")
        #expect(pattern[3].words == ["b", "2"])
        #expect(URLPattern.replacing(["b", "2"], in: "#1-#2#3#x#.#1") == "b-2#3#x#.b")
        #expect(URLPattern.replacing([], in: "#1") == "#1")
        #expect(URLPattern.replacing(["a"], in: "#0#99999999999999999999#1") == "#0#99999999999999999999a")
    }
}
