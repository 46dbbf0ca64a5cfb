// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct HSTSTextTests {
    /// RFC 6797 §6.1.
    @Test(
        arguments: [
            ("max-age=31536000", 31_536_000, false), ("max-age=\"31536000\"", 31_536_000, false),
            ("max-age=10; includeSubDomains", 10, true), (" MAX-AGE = 10 ;includesubdomains; ", 10, true),
            (";;max-age=0;;", 0, false), ("preload; max-age=1; foo=\"a;b\\\"c\"; bar=baz", 1, false),
            ("max-age=99999999999999999999999", .max, false), ("includeSubDomains;max-age=007", 7, true),
        ] as [(String, Int64, Bool)])
    func `a field says for how long, and for which hosts`(text: String, maxAge: Int64, includesSubdomains: Bool) {
        let field = StrictTransportSecurity(Array(text.utf8))
        #expect(field?.maxAge == maxAge && field?.includesSubdomains == includesSubdomains)
    }

    @Test(arguments: [
        "", ";", "includeSubDomains", "max-age", "max-age=", "max-age=-1", "max-age=1.5", "max-age=1x", "max-age=\"1",
        "max-age=1; max-age=1", "max-age=1; MAX-AGE=2", "max-age=1; includeSubDomains; includeSubDomains",
        "max-age=1; foo; foo=1", "max-age=1; includeSubDomains=1", "max-age=1 includeSubDomains",
        "max-age=1, max-age=2",
        "max-age=1; =2", "max-age=1; \"foo\"", "max-age=1; a b", "max-age 1",
    ])
    func `a field that does not follow the grammar says nothing`(text: String) {
        #expect(StrictTransportSecurity(Array(text.utf8)) == nil)
    }

    private func lines(_ text: String) -> [String] {
        HSTSText(Array(text.utf8)).hosts.map { "\($0.includesSubdomains ? "." : "")\($0.name) \($0.expires)" }
    }

    @Test(arguments: [
        ("a.test \"20271231 23:59:59\"", "a.test 1830297599"), (".A.test.  \"19700101 00:00:01\" \r", ".a.test 1"),
        ("\t.a.test \"unlimited\"", ".a.test 9223372036854775807"),
        ("xn--9ca.test \"20000229 00:00:00\"", "xn--9ca.test 951782400"),
    ])
    func `a line is a host and its end`(line: String, expected: String) { #expect(lines(line) == [expected]) }

    @Test(arguments: [
        "a.test", "a.test 20271231 23:59:59", "a.test \"\"", "a.test \"20271331 23:59:59\"",
        "a.test \"20270229 00:00:00\"",
        "a.test \"2027123123:59:59\"", "127.0.0.1 \"unlimited\"", "::1 \"unlimited\"", ". \"unlimited\"",
        "..a.test \"unlimited\"", "\u{E9}.test \"unlimited\"", "a.test \"Unlimited\"", "a.test \"unlimited",
        "a.test.. \"unlimited\"", "a..test \"unlimited\"",
        "\"unlimited\"",
    ])
    func `an odd line spoils itself, and survives`(line: String) {
        let good = "b.test \"unlimited\""
        let text = HSTSText(Array("# comment\n\n\(line)\n\(good)\n".utf8))
        #expect(text.hosts.map(\.name) == ["b.test"])
        #expect(text.skippedLineCount == 1 && text.firstSkippedLine == 3)
        let written = HSTSText.bytes(of: text.hosts, after: text.otherLines)
        #expect(String(decoding: written, as: UTF8.self) == "# comment\n\n\(line)\n\(good)\n")
    }

    @Test func `no bytes trap, and what is written is read again`() {
        var generator = SeededGenerator(seed: 11)
        let words = [
            ".", "a.test", "\"", "unlimited", "20271231 23:59:59", "99999999 99:99:99", "#", "\n", " ", "\r", "é",
        ]
        for _ in 0..<3000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<16, using: &generator) {
                if Int.random(in: 0..<4, using: &generator) > 0 {
                    bytes += Array((words.randomElement(using: &generator) ?? "").utf8)
                } else {
                    bytes.append(UInt8.random(in: 0...255, using: &generator))
                }
            }
            _ = StrictTransportSecurity(Array("max-age=1;".utf8) + bytes)
            let text = HSTSText(bytes)
            let again = HSTSText(HSTSText.bytes(of: text.hosts, after: text.otherLines))
            #expect(again.hosts == text.hosts && again.skippedLineCount == text.skippedLineCount)
        }
    }

    @Test func `of a file with too many hosts those are kept that end last`() {
        let count = 3 * HSTSStorage.maximumHostCount
        // In no order of their ends.
        let lines = (0..<count).map { number in
            let end = number * 7919 % count
            let date = (2100 + end / 300) * 10_000 + (end % 300 / 25 + 1) * 100 + end % 25 + 1
            return "h\(end).test \"\(date) 00:00:00\"\n"
        }
        let storage = HSTSStorage(text: Array(lines.joined().utf8))
        #expect(storage.hosts.count == HSTSStorage.maximumHostCount && storage.skippedLineCount == 0)
        #expect((0..<3).map { storage.requiresTLS(forHost: "h\($0 * 10_000).test") } == [false, false, true])
    }
}
