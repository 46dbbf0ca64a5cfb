// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import TernCLI

@Suite struct ExistingFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func found(_ name: String) -> ExistingFile? { ExistingFile(at: folder.url.appending(path: name)) }

    @Test func `a file is found with its size, also behind a link`() throws {
        try folder.write("12345", to: "file")
        try FileManager.default.createSymbolicLink(
            atPath: folder.url.appending(path: "link").path, withDestinationPath: "file")
        #expect(found("file")?.size == 5)
        #expect(found("link")?.size == 5)
    }

    @Test func `nothing, an empty file and a folder are no file to compare`() throws {
        try folder.write("", to: "empty")
        try folder.write("x", to: "folder/x")
        #expect(found("missing") == nil)
        #expect(found("empty") == nil)
        #expect(found("folder") == nil)
    }

    @Test func `beside a partial file of tern the file is not looked at`() throws {
        try folder.write("12345", to: "file")
        try folder.write("123", to: ".file.tern-part")
        #expect(found("file") == nil)
    }
}
