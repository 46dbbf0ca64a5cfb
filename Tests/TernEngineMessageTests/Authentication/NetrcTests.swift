// SPDX-License-Identifier: Apache-2.0
// Safety: C functions are given terminated strings.
import FoundationEssentials
import Glibc
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct NetrcTests {
    /// `user:password` of the entry for `h.test`; nil without one.
    private func entry(_ text: String, user: String? = nil) -> String? {
        Netrc(text.utf8).credential(forHost: "h.test", user: user).map { "\($0.user):\($0.password)" }
    }

    @Test(arguments: [
        ("machine h.test login a password b", "a:b"), ("machine h.test\nlogin a\n\n\tpassword b\r\n", "a:b"),
        ("machine\nh.test\nlogin\na\npassword\nb", "a:b"), ("MACHINE H.Test LOGIN a PASSWORD b", "a:b"),
        ("machine h.test password b account c login a", "a:b"), ("machine h.test account login login a", "a:"),
        ("machine x.test login x password y machine h.test login a password b", "a:b"),
        (#"machine h.test login "a b" password "c\"\n\r\t\\\x d""#, "a b:c\"\n\r\t\\x d"),
        (#"machine "h.test" login "" password b"c"d"#, ":b\"c\"d"),
        ("# machine h.test login x password y\nmachine h.test login a password b", "a:b"),
        ("machine h.test\nlogin a # password x\n# x\npassword #b", "a:#b"), ("machine h.test login a # x", "a:"),
        ("machine h.test login a\nmachine h.test login c password d", "c:d"),
        ("machine h.test login a password b\nmachine h.test login c password d", "a:b"),
        ("machine h.test password b", ":b"), ("machine h.test", ":"),
        ("default login d password e\nmachine h.test login a password b", "d:e"),
        ("machine h.test login a password b\ndefault login d password e", "a:b"),
        ("machine x.test login a password b\ndefault login d password e", "d:e"),
        ("macdef init\nmachine h.test login x password y\n \nmachine h.test login a password b", "a:b"),
        ("machine h.test macdef init\nmachine h.test login x password y", ":"),
    ])
    func `entries are read as curl reads them`(text: String, expected: String) {
        #expect(entry(text) == expected)
        #expect(Netrc(text.utf8).warnings.isEmpty)
    }

    @Test func `a host without an entry has no credential`() {
        #expect(entry("") == nil && entry("machine x.test login a password b") == nil)
        #expect(entry("macdef init\nmachine h.test login x password y") == nil)
    }

    @Test func `a name chooses the entry that has it`() {
        let text = "machine h.test login a password b\nmachine h.test login c password d\ndefault login e password f"
        #expect(["a", "c", "e", "x"].map { entry(text, user: $0) } == ["a:b", "c:d", "e:f", nil])
    }

    @Test(
        arguments: [
            ("machine h.test password z\nmachine h.test password b login a", "a:b", "x:z"),
            ("machine h.test login a password b\nmachine h.test password z", "a:b", "x:z"),
            ("machine h.test login a password b\ndefault password z", "a:b", "x:z"),
            ("machine h.test login a\nmachine h.test password z", "a:z", "x:z"),
            ("machine h.test login a password b\nmachine h.test", "a:b", nil),
            ("machine h.test login \"\" password z", nil, nil), ("default\nmachine h.test password z", "a:z", "x:z"),
        ] as [(String, String?, String?)])
    func `an entry without a name is for any, after those that have it`(text: String, a: String?, x: String?) {
        #expect(entry(text, user: "a") == a && entry(text, user: "x") == x)
    }

    @Test func `a host beyond ASCII is the one that is requested`() {
        let netrc = Netrc("machine B\u{dc}cher.test login a password b\nmachine xn--7bi.test password c".utf8)
        #expect(netrc.credential(forHost: "xn--bcher-kva.test")?.user == "a")
        #expect(netrc.credential(forHost: "b\u{fc}cher.test")?.user == "a")
        #expect(netrc.credential(forHost: "\u{270c}\u{fe0f}.test")?.password == "c")
    }

    @Test(
        arguments: [
            ("machine h.test foo bar login a password b", "a:b", [(1, .unknownWord)]),
            ("machine h.test login a password two words", "a:two", [(1, .unknownWord)]),
            ("machine h.test login a\npassword \"b\"c", "a:b", [(2, .unknownWord)]),
            ("machine h.test login a password", "a:", [(1, .missingValue)]),
            ("machine h.test login a\n\npassword\n", "a:", [(3, .missingValue)]),
            ("machine h.test login a\nfoo password\n\n", "a:", [(2, .unknownWord)]),
            ("login x\nmachine h.test login a password b", "a:b", [(1, .withoutHost)]),
            ("machine h.test login a\npassword \"b\nlogin c", "c:", [(2, .unterminatedQuote)]),
            // What follows a host that could not be read is not another host's.
            (
                "machine h.test login a password b\nmachine \"x.test\nlogin c password d", "a:b",
                [(2, .unterminatedQuote), (3, .withoutHost)]
            ),
            (
                "machine h.test login a password b\nmachine\n\"x.test\nlogin c password d", "a:b",
                [(3, .unterminatedQuote), (4, .withoutHost)]
            ),
            (
                "machine h.test login a password b\nlogin \"x default\nlogin c", "a:b",
                [(2, .unterminatedQuote), (3, .withoutHost)]
            ),
        ] as [(String, String, [(Int, Netrc.Warning.Reason)])])
    func `an odd line spoils itself and is told by its number`(
        text: String, expected: String, warnings: [(Int, Netrc.Warning.Reason)]
    ) {
        #expect(entry(text) == expected)
        #expect(Netrc(text.utf8).warnings == warnings.map { Netrc.Warning(line: $0.0, reason: $0.1) })
    }

    @Test func `no bytes trap, and what is whole before them stays`() {
        var generator = SeededGenerator(seed: 7)
        let words = [
            "machine", "h.test", "login", "password", "account", "default", "macdef", "\"", "\\", "#", "\n", " ", "é",
        ]
        for _ in 0..<3000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<20, using: &generator) {
                if Bool.random(using: &generator) {
                    bytes += Array((words.randomElement(using: &generator) ?? "").utf8) + [0x20]
                } else {
                    bytes.append(UInt8.random(in: 0...255, using: &generator))
                }
            }
            let netrc = Netrc(Array("machine first.test login a password b\n".utf8) + bytes)
            // A login behind it belongs to the first host, too, until another begins.
            #expect(netrc.credential(forHost: "first.test") != nil)
            #expect(netrc.warnings.map(\.line) == netrc.warnings.map(\.line).sorted())
        }
    }

    @Test(arguments: [(0o600, true), (0o400, true), (0o700, true), (0o640, false), (0o604, false), (0o644, false)])
    func `a file with passwords that others may read is refused`(mode: mode_t, isRead: Bool) throws {
        let folder = try TestFolder()
        try folder.write("machine h.test login a password b", to: "netrc")
        #expect(unsafe chmod(folder.path + "/netrc", mode) == 0)
        let file = folder.url("netrc")
        if isRead {
            #expect(try Netrc(file: file).credential(forHost: "h.test")?.password == "b")
        } else {
            let error = #expect(throws: NetrcError.exposed(path: file.path, mode: UInt32(mode))) {
                try Netrc(file: file)
            }
            #expect(error?.description.contains("mode is \(String(mode, radix: 8)): make it 600") == true)
        }
    }

    @Test func `a file without passwords may be read by all, and no file is an error`() throws {
        let folder = try TestFolder()
        try folder.write("machine h.test login a", to: "netrc")
        #expect(unsafe chmod(folder.path + "/netrc", 0o644) == 0)
        #expect(try Netrc(file: folder.url("netrc")).credential(forHost: "h.test")?.user == "a")
        #expect(throws: NetrcError.missing(path: folder.path + "/none")) { try Netrc(file: folder.url("none")) }
        #expect(throws: NetrcError.self) { try Netrc(file: URL(filePath: folder.path)) }
    }

    @Test func `no description shows a password`() {
        let netrc = Netrc("machine h.test login ada password secret\nmachine b.test password secret secret".utf8)
        var dumped = ""
        dump(netrc, to: &dumped)
        for text in ["\(netrc)", String(reflecting: netrc), dumped, "\(netrc.warnings)"] {
            #expect(!text.contains("secret"), "\(text)")
        }
    }
}
