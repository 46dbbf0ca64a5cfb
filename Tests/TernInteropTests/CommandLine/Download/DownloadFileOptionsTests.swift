// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import Testing

@testable import TernCLI

@Suite struct DownloadFileOptionsTests {
    private func options(_ arguments: String...) throws -> DownloadFileOptions {
        try DownloadFileOptions.parse(arguments)
    }

    @Test(arguments: [
        ("0-499", true), ("500-", true), ("-500", true), ("5-5", true), ("-", false), ("-0", false), ("5-4", false),
        ("0-1,3-4", false), ("5", true), ("a-b", false), ("99999999999999999999-", false), ("--5", false),
        ("٣-", false),
    ])
    func `one range of bytes is a range, and nothing else`(range: String, isRange: Bool) {
        #expect(((try? options().check(RangeOption.range(range))) != nil) == isRange)
    }

    @Test(arguments: [
        ["-o", "x", "-O"], ["-o", "x", "-J"], ["-o", "x", "--clobber"], ["-o", ""], ["-C", "5"],
        ["--sha256", "00"], ["--sha256", String(repeating: "g", count: 64)],
        ["--sha256", String(repeating: "٣", count: 64)],
        ["--sha256", String(repeating: "0", count: 64), "--repr-digest"], ["--create-dirs"],
        ["--parts", "0"],
    ])
    func `contradictions are refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try DownloadFileOptions.parse(arguments) }
    }

    @Test func `a part is neither resumed nor verified`() {
        #expect(throws: (any Error).self) { try options("-C", "-").check("0-1") }
        #expect(throws: (any Error).self) { try options("--repr-digest").check("0-1") }
    }

    @Test func `an existing file is replaced where the user names it, and refused elsewhere`() throws {
        #expect(try options().settings(isPart: false, limit: nil).existingFile == .refuse)
        #expect(try options("-O").settings(isPart: false, limit: nil).existingFile == .refuse)
        #expect(try options("-o", "x").settings(isPart: false, limit: nil).existingFile == .replace)
        #expect(try options("--clobber").settings(isPart: false, limit: nil).existingFile == .replace)
    }

    @Test func `a download resumes on request only, and never a part`() throws {
        #expect(try options().settings(isPart: false, limit: nil).startsOver)
        #expect(try !options("-C", "-").settings(isPart: false, limit: nil).startsOver)
        #expect(try options().settings(isPart: false, limit: 7).isResumable)
        #expect(try !options().settings(isPart: true, limit: nil).isResumable)
    }

    @Test func `a download has several parts on request only`() throws {
        #expect(try options().settings(isPart: false, limit: nil).parts == nil)
        #expect(try options("--parts", "1").settings(isPart: false, limit: nil).parts == nil)
        let settings = try options("--parts", "3").settings(isPart: false, limit: nil)
        #expect(settings.parts == DownloadParts(maximum: 3))
    }

    @Test func `the file has the name of -o, or of the URL, or none before the response`() throws {
        let url = try RequestedURL("http://a.test/b/c%20d")
        #expect(try options("-o", "x/y").target(of: url)?.relativePath == "x/y")
        #expect(try options("-O").target(of: url)?.relativePath == "c d")
        #expect(try options("-OJ").target(of: url) == nil)
        #expect(try options().target(of: url) == nil)
        #expect(throws: (any Error).self) { try options("-O").target(of: RequestedURL("http://a.test/")) }
    }

    @Test func `what is written directly can be neither resumed nor verified`() throws {
        let digest = String(repeating: "0", count: 64)
        for option in [["-C", "-"], ["--sha256", digest], ["--repr-digest"], ["--parts", "2"]] {
            let options = try DownloadFileOptions.parse(option + ["-o", "/dev/null"])
            #expect(throws: (any Error).self) { try options.writtenThrough(TransferOptions()) }
        }
        #expect(try options("-o", "/dev/null").writtenThrough(TransferOptions()) == "/dev/null")
        let retrying = try TransferOptions.parse(["--retry", "1"])
        #expect(throws: (any Error).self) { try options("-o", "/dev/null").writtenThrough(retrying) }
        #expect(try options("-o", "/nowhere/x").writtenThrough(TransferOptions()) == nil)
    }
}
