// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import Testing

@testable import TernCLI

@Suite struct ConfigurationLineTests {
    @Test(
        "a line is read as curl reads it",
        arguments: [
            ("url = http://a/", "url", "http://a/"), ("url: http://a/", "url", "http://a/"), ("-o file", "-o", "file"),
            ("--header \"A: b c\" # more", "--header", "A: b c"), ("  silent  ", "silent", nil), ("-s\r", "-s", nil),
            ("output=\"a\\\"b\\\\c\\td\\ne\\xf\"", "output", "a\"b\\c\td\nexf"), ("data \"\"", "data", ""),
            ("user =", "user", nil),
            ("--url=http://a/", "--url=http://a/", nil), ("data \"open", "data", "open"),
            ("max-time 5 #x", "max-time", "5"),
        ] as [(String, String, String?)])
    func line(text: String, name: String, value: String?) throws {
        let lines = try ConfigurationLine.all(in: Array("# comment\n\n\(text)\n".utf8), of: "f")
        #expect(lines.map(\.name) == [name] && lines.map(\.value) == [value])
        #expect(lines.first?.place == "f, line 3")
    }

    @Test func `a value with blanks but without quotes is refused, where curl cuts it off`() {
        #expect(throws: UsageError.self) { try ConfigurationLine.all(in: Array("header A: b".utf8), of: "f") }
    }

    private func options(_ file: String, _ arguments: String...) throws -> FetchOptions {
        let folder = try TemporaryFolder()
        let path = try folder.write(file, to: "config")
        return try RunOptions.parse(["-K", path] + arguments).last
    }

    @Test func `the options of a file stand where the file is named`() throws {
        let options = try options(
            "url = http://a/\n-d \"-X\"\nheader = \"A: b\"\n-sSf\n-m5\nlocation\n", "http://b/", "-d", "y")
        #expect(options.urls == ["http://a/", "http://b/"] && options.content.text.map(\.argument) == ["-X", "y"])
        #expect(options.fields.headers == ["A: b"] && options.output.fails && options.transfer.maximumTime == 5)
        #expect(options.transfer.isFollowing)
    }

    @Test(
        "an error of a file names the file and the line",
        arguments: [
            ("nope", .unknownOption("--nope")), ("silent yes", .unwantedValue(of: "--silent")),
            ("-s yes", .unwantedValue(of: "-s")),
            ("header", .missingValue(of: "--header")), ("-o", .missingValue(of: "-o")),
            ("-m x", .invalidValue("x", place: "-m <seconds>")),
        ] as [(String, GrammarError)])
    func error(line: String, error: GrammarError) throws {
        let found = try #require(throws: GrammarError.self) { try options("\n\(line)\nurl = http://a/\n") }
        guard case .within(let place, error) = found else {
            Issue.record("\(found)")
            return
        }
        #expect(place.hasSuffix("config, line 2"))
    }

    @Test func `a file that names itself ends in an error, and so does one that cannot be read`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "config").path
        try folder.write("-K \"\(path)\"\n", to: "config")
        let itself = try await TernTool.run("-K", path, "http://127.0.0.1:1/")
        #expect(itself.status == 2 && itself.errors.contains("more than 10 deep"), "\(itself.errors)")
        let missing = try await TernTool.run("-K", "/nowhere/x", "http://127.0.0.1:1/")
        #expect(missing.status == 26 && missing.errors.contains("/nowhere/x"), "\(missing.errors)")
        let unknown = try await TernTool.run("-K", try folder.write("x y", to: "other"))
        #expect(
            unknown.errors
                == "tern: (2) \(folder.url.path)/other, line 1: unknown option '--x'; see \"tern request --help\"\n")
    }
}
