// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// The file of a cassette: what is read, and what is refused.
@Suite struct CassetteFileTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private static let line =
        #"{"request":{"headers":[["Accept","*/*"]],"method":"GET","url":"http://a.test/"},"#
        + #""response":{"body":"text","head":{"headers":[["X-A","1"]],"reason":"OK","status":200}}}"#

    private func text(_ lines: [String], version: Int = 1, count: Int? = nil) -> String {
        ([#"{"cassette":\#(version),"interactions":\#(count ?? lines.count)}"#] + lines).map { $0 + "\n" }.joined()
    }

    private func read(_ text: String) throws(CassetteError) -> Cassette {
        try? folder.write(text, to: "cassette")
        return try Cassette(contentsOf: folder.url("cassette"))
    }

    private func rule(_ text: String) -> CassetteError.Rule? {
        do throws(CassetteError) { _ = try read(text) } catch {
            #expect("\(error)".contains("cassette"))
            return error.rule
        }
        return nil
    }

    @Test func `a line is a request with its response`() throws {
        let cassette = try read(text([Self.line, Self.line]))
        #expect(cassette.isPlaying)
        #expect(cassette.count == 2)
        #expect(cassette.unplayed == ["GET http://a.test/", "GET http://a.test/"])
    }

    @Test func `a file without an interaction is one`() throws {
        #expect(try read(text([])).unplayed == [])
    }

    @Test func `what is read and written again is the same`() throws {
        let bytes =
            #"{"request":{"body":{"base64":"/wA="},"headers":[["X",{"base64":"/w=="}]],"method":"PUT","url":"http://a.test/"},"#
            + #""response":{"body":"","cut":true,"discardedTrailers":[["Host","a"]],"head":{"headers":[],"status":204},"#
            + #""informational":[{"headers":[],"status":103}],"trailers":[["X-Sum","ä"]]}}"#
        let text = text([Self.line, bytes])
        try read(text).write(to: folder.url("copy"))
        #expect(folder.content("copy").map { String(decoding: $0, as: UTF8.self) } == text)
        #expect(folder.permissions("copy") == 0o600)
    }

    @Test func `no beginning of a file is a file`() throws {
        let whole = text([Self.line, Self.line])
        for count in 0..<whole.utf8.count {
            let part = String(whole.prefix(count))
            #expect(rule(part) != nil, "\(part)")
        }
    }

    private static let wrongFiles: [(String, CassetteError.Rule)] = [
        ("", .noCassette), ("\n\n", .noCassette), ("[]\n", .noCassette),
        (#"{"cassette":"1","interactions":0}"# + "\n", .noCassette),
        (#"{"cassette":2,"interactions":0}"# + "\n", .version(2)),
        (#"{"cassette":1,"interactions":1}"# + "\n", .truncated(expected: 1, found: 0)),
        (#"{"cassette":1,"interactions":0}"# + "\n{}\n", .truncated(expected: 0, found: 1)),
    ]

    @Test(arguments: wrongFiles)
    func `a file that is no cassette, of another version or of another length is refused`(
        _ text: String, _ expected: CassetteError.Rule
    ) {
        #expect(rule(text) == expected)
    }

    private static let wrongLines: [String] = {
        let changes = [
            ("200", "99"), ("200", "\"200\""), ("\"1\"", #""1\r\nX-B: 2""#), ("X-A", "X A"), ("\"1\"]", "\"1\",\"2\"]"),
            ("\"1\"]", "{\"base64\":\"?\"}]"), ("\"OK\"", #""O\r\nK""#),
        ]
        return ["{}", "null", "{"] + changes.map { line.replacing($0, with: $1) }
    }()

    @Test(arguments: wrongLines)
    func `a line that says something else is refused, with its number`(_ line: String) throws {
        let error = #expect(throws: CassetteError.self) { try read(text([Self.line, line])) }
        #expect(error?.line == 3)
        guard case .malformed? = error?.rule else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    /// A part of a line, what stands there in place of it, and where the secret is.
    private static let secrets: [(plain: String, secret: String, part: String)] = [
        ("http://a.test/", "http://ada:secret@a.test/", "URL"),
        ("http://a.test/", "http://a.test/?api_key=secret", "URL"),
        (#"["Accept","*/*"]"#, #"["Authorization","secret"]"#, "field Authorization"),
        (#"["Accept","*/*"]"#, #"["X-Api-Key","secret"]"#, "field X-Api-Key"),
        (#"["X-A","1"]"#, #"["Set-Cookie","a=secret; Path=/"]"#, "field Set-Cookie"),
        (#"["X-A","1"]"#, #"["Location","http://a.test/?token=secret"]"#, "field Location"),
        (#"200}}}"#, #"200},"trailers":[["Cookie","secret"]]}}"#, "field Cookie"),
        (#"200}}}"#, #"200},"informational":[{"headers":[["Cookie","secret"]],"status":103}]}}"#, "field Cookie"),
        (
            #""text","head":{"headers":["#,
            #""{\"access_token\": \"secret\"}","head":{"headers":[["Content-Type","application/json"],"#,
            "response content"
        ),
        (
            #"[["Accept","*/*"]],"#,
            #"[["Content-Type","application/x-www-form-urlencoded"]],"body":"password=secret","#, "request content"
        ),
    ]

    @Test(arguments: secrets)
    func `a secret is refused, and what stands for it is not`(_ plain: String, _ secret: String, _ part: String) throws
    {
        let line = Self.line.replacing(plain, with: secret)
        #expect(rule(text([line])) == .secret(in: part), "\(line)")
        let redacted = line.replacing("ada:secret@", with: "").replacing("secret", with: "redacted")
        #expect(rule(text([redacted])) == nil)
    }

    @Test func `a file that is not there, or no file, is refused`() throws {
        let missing = #expect(throws: CassetteError.self) { try Cassette(contentsOf: folder.url("missing")) }
        #expect(missing?.rule == .missing)
        let isFolder = #expect(throws: CassetteError.self) { try Cassette(contentsOf: URL(filePath: folder.path)) }
        guard case .file? = isFolder?.rule else {
            Issue.record("\(String(describing: isFolder))")
            return
        }
        #expect(throws: CassetteError.self) { try Cassette().write(to: folder.url("no/folder")) }
    }
}
