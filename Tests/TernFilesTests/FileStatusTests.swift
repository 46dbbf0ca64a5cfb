// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernFiles

@Suite struct FileStatusTests {
    private let folder = TestFolder()

    @Test func `a status describes what a path leads to`() throws {
        try folder.write("", to: "file")
        unsafe link(folder["file"], folder["twin"])
        unsafe symlink(folder["file"], folder["link"])
        unsafe mkfifo(folder["pipe"], 0o600)
        let status = try #require(FileStatus(of: folder["link"]))
        #expect(status.kind == .regular)
        #expect(status.linkCount == 2)
        #expect(status.owner == geteuid())
        #expect(FileStatus(of: folder.path)?.kind == .folder)
        #expect(FileStatus(of: folder["pipe"])?.kind == .other)
        #expect(FileStatus(of: folder["none"]) == nil)
    }
}
