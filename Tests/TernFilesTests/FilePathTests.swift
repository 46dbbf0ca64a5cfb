// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernFiles

@Suite struct FilePathTests {
    private let folder = TestFolder()

    @Test(arguments: [("a", "."), ("/a", "/"), ("b/a", "b"), ("/c/b/a", "/c/b"), ("b/", "b"), ("", ".")])
    func `a path's folder is what precedes its last slash`(path: String, expected: String) {
        #expect(FilePath.folder(of: path) == expected)
    }

    @Test func `temporary paths differ and stay in the folder`() {
        let (one, other) = (FilePath.temporary(beside: "/x/file"), FilePath.temporary(in: "/x/"))
        #expect(one.hasPrefix("/x/.tern-"))
        #expect(other.hasPrefix("/x/.tern-"))
        #expect(one != other)
    }

    @Test func `only a link is a link, also one that leads nowhere`() throws {
        try folder.write("", to: "file")
        unsafe symlink(folder["none"], folder["link"])
        #expect(FilePath.isSymbolicLink(folder["link"]))
        #expect(!FilePath.isSymbolicLink(folder["file"]))
        #expect(!FilePath.isSymbolicLink(folder["none"]))
    }

    @Test func `links are followed to what they lead to, or would`() throws {
        try folder.write("", to: "file")
        for (link, target) in [("1", "file"), ("2", "1"), ("3", "none"), ("4", folder["3"]), ("5", "5")] {
            unsafe symlink(target, folder[link])
        }
        for (name, end) in [("1", "file"), ("2", "file"), ("3", "none"), ("4", "none"), ("5", "5"), ("new", "new")] {
            #expect(FilePath.followingLinks(from: folder[name]) == folder[end], "\(name)")
        }
    }

    @Test func `a folder is resolved, the last component is not`() throws {
        unsafe symlink(folder.path, folder["link"])
        let real = try #require(FilePath.resolved(folder.path))
        #expect(FilePath.resolvingFolder(of: folder["link/new"]) == real + "/new")
        #expect(FilePath.resolvingFolder(of: folder["./link"]) == real + "/link")
        #expect(FilePath.resolvingFolder(of: folder["none/new"]) == folder["none/new"])
        #expect(FilePath.resolvingFolder(of: "/new") == "/new")
        #expect(FilePath.resolved(folder["none"]) == nil)
    }

    @Test func `missing folders are created with their parents`() throws {
        let path = folder["one/two"]
        try FilePath.createFolder(path)
        try FilePath.createFolder(path)
        #expect(FileStatus(of: path)?.kind == .folder)
        try folder.write("", to: "file")
        #expect(throws: SystemCallError(.mkdir, code: EEXIST)) { try FilePath.createFolder(folder["file/sub"]) }
        unsafe rmdir(path)
        unsafe rmdir(folder["one"])
    }
}

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
