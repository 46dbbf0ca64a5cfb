// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernTLS
import TernTesting
import Testing

@testable import TernEngine

@Suite(.timeLimit(.minutes(5))) struct DownloadFileTests {
    private let session = Session.limited(to: 4)
    private let content = Pattern.bytes

    @Test func `what stands there is replaced, with its permissions, or stays`() async throws {
        let folder = try TestFolder()
        try folder.write("old", to: "file")
        unsafe chmod(folder.path + "/file", 0o640)
        let origin = try FileOrigin(content)
        var settings = DownloadSettings()
        settings.existingFile = .refuse
        let error = try await session.failure(origin, to: folder.url("file"), settings)
        if case .download(.exists) = error?.reason {} else { Issue.record("\(String(describing: error))") }
        #expect(folder.content("file") == Array("old".utf8))
        #expect(try await session.failure(origin, to: folder.url("file")) == nil)
        #expect(folder.content("file") == content)
        #expect(folder.permissions("file") == 0o640)
        #expect(try await session.failure(origin, to: folder.url("new"), settings) == nil)
        #expect(folder.names == ["file", "new"])
    }

    @Test func `a link is followed, and stays`() async throws {
        let folder = try TestFolder()
        try folder.write("old", to: "file")
        unsafe symlink("file", folder.path + "/link")
        unsafe symlink("nowhere", folder.path + "/dangling")
        let origin = try FileOrigin(content)
        #expect(try await session.failure(origin, to: folder.url("link")) == nil)
        #expect(folder.content("file") == content)
        let error = try await session.failure(origin, to: folder.url("dangling"))
        if case .download(.notRegularFile) = error?.reason {} else { Issue.record("\(String(describing: error))") }
        #expect(folder.names == ["dangling", "file", "link"])
    }

    @Test(arguments: ["folder", "fifo", "folder/", ""]) func `what is no file is no target`(name: String) async throws {
        let folder = try TestFolder()
        unsafe mkdir(folder.path + "/folder", 0o700)
        unsafe mkfifo(folder.path + "/fifo", 0o600)
        let origin = try FileOrigin(content)
        let error = try await session.failure(origin, to: folder.url(name))
        if case .download(.notRegularFile) = error?.reason {} else { Issue.record("\(String(describing: error))") }
        #expect(folder.names == ["fifo", "folder"])
    }

    @Test func `folders are made if they may be`() async throws {
        let folder = try TestFolder()
        let origin = try FileOrigin(content)
        let error = try await session.failure(origin, to: folder.url("a/b/file"))
        guard case .download(.file(let reason, let path)) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.code == ENOENT)
        #expect(path == folder.path + "/a/b/file")
        var settings = DownloadSettings()
        settings.createsFolders = true
        #expect(try await session.failure(origin, to: folder.url("a/b/file"), settings) == nil)
        #expect(folder.content("a/b/file") == content)
    }
}
