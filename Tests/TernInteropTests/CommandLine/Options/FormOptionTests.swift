// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing

@testable import TernCLI

@Suite struct FormOptionTests {
    @Test func `a string stands as it is`() throws {
        #expect(try FormOption.string("a=@b;c").content == .text("@b;c"))
        #expect(throws: (any Error).self) { try FormOption.string("a") }
    }
}

@Suite struct FormBoundaryTests {
    @Test(
        arguments: [
            ("multipart/form-data", "multipart/form-data"),
            ("multipart/form-data; boundary=XYZ", "multipart/form-data"),
            ("multipart/mixed;BOUNDARY=\"a;b\\\"; c\"; charset=x", "multipart/mixed; charset=x"),
            ("multipart/form-data; x=\"; boundary=y\"; boundary = z", "multipart/form-data; x=\"; boundary=y\""),
            ("multipart/form-data; boundary", "multipart/form-data"), ("a/b; noboundary=1", "a/b; noboundary=1"),
            ("a/b; boundary=\"x", "a/b"),
        ])
    func `a type of one's own has no boundary beside that of the form`(type: String, rest: String) {
        #expect(FetchPlanner.withoutBoundary(type) == rest)
    }

    @Test func `the one boundary of the field is that of the parts`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let field = "Content-Type: multipart/form-data; boundary=XYZ"
        #expect(try await TernTool.run("-H", field, "-F", "a=b", origin.url("/")).status == 0)
        let request = try #require(origin.requests.first)
        let parts = try #require(request.value(of: "Content-Type")).split(separator: "; boundary=")
        #expect(parts.count == 2 && request.bodyText.hasPrefix("--\(parts.last ?? "")\r\n"))
    }
}

@Suite struct FormOptionParserTests {
    @Test(
        arguments: [
            ("a=b", "a", FormOption.Content.text("b"), nil, nil), ("a=", "a", .text(""), nil, nil),
            ("a=b=c", "a", .text("b=c"), nil, nil), ("a=@f", "a", .file("f"), nil, nil),
            ("a=<f", "a", .textOfFile("f"), nil, nil), ("a=@-", "a", .file("-"), nil, nil),
            ("a=b;type=x/y", "a", .text("b"), "x/y", nil), ("a=b;TYPE=x/y;q=1", "a", .text("b"), "x/y;q=1", nil),
            ("a=@f;filename=g;type=x/y", "a", .file("f"), "x/y", "g"),
            (#"a=@"f,g;h" ;filename="i\"j\\k\l""#, "a", .file("f,g;h"), nil, #"i"j\k\l"#),
            (#"a="b;c" d"#, "a", .text("b;c"), nil, nil), (#"a="b"#, "a", .text(#""b"#), nil, nil),
            ("a=  b  ;type=x/y", "a", .text("b"), "x/y", nil), ("ü=ä", "ü", .text("ä"), nil, nil),
            // A combining mark makes no other sign of the one before it.
            ("a=\u{301}b", "a", .text("\u{301}b"), nil, nil), ("a=@\u{301}f", "a", .file("\u{301}f"), nil, nil),
            ("a=b,c;type=x/y,z", "a", .text("b,c"), "x/y,z", nil),
        ] as [(String, String, FormOption.Content, String?, String?)])
    func `an argument is read by curl's rules`(
        argument: String, name: String, content: FormOption.Content, type: String?, fileName: String?
    ) throws {
        let expected = FormOption(name: name, content: content, type: type, fileName: fileName)
        #expect(try FormOption.form(argument) == [expected])
    }

    @Test(arguments: [
        "a", "=b", "a=(b", "a=b;c", "a=b;filename=c", "a=b;headers=@c", "a=b;type=x/y;encoder=z",
    ])
    func `what would be left out or nested is refused`(argument: String) {
        #expect(throws: (any Error).self) { try FormOption.form(argument) }
    }

    @Test func `files that commas separate are parts of one name`() throws {
        let parts = try FormOption.form(#"a=@f;type=x/y,"g,h";filename=i, j"#)
        #expect(
            parts == [
                FormOption(name: "a", content: .file("f"), type: "x/y"),
                FormOption(name: "a", content: .file("g,h"), fileName: "i"),
                FormOption(name: "a", content: .file("j")),
            ])
    }
}
