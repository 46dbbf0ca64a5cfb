// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernFiles

@Suite struct FileReplacementTests {
    private let folder = TestFolder()
    private let fallback = TestFolder()

    private func replacement(of name: String) throws -> FileReplacement {
        try FileReplacement(
            of: folder[name], path: FilePath.temporary(in: folder.path),
            fallbackPath: FilePath.temporary(in: fallback.path))
    }

    private func write(_ text: String, to replacement: FileReplacement) throws {
        try unsafe Array(text.utf8).withUnsafeBytes { try unsafe replacement.write($0) }
    }

    @Test func `the file is as it was until the content is complete`() throws {
        try folder.write("old", to: "file")
        let replacement = try replacement(of: "file")
        try write("ne", to: replacement)
        try write("w", to: replacement)
        #expect(try folder.text(of: "file") == "old")
        try replacement.commit()
        #expect(try folder.text(of: "file") == "new")
        #expect(folder.names == ["file"])
        #expect(FileStatus(of: folder["file"])?.permissions == 0o640)
    }

    @Test func `content that is not committed leaves nothing`() throws {
        try folder.write("old", to: "file")
        for name in ["file", "other"] { try write("new", to: replacement(of: name)) }
        #expect(try folder.text(of: "file") == "old")
        #expect(folder.names == ["file"])
    }

    @Test func `a file that did not exist is created`() throws {
        let replacement = try replacement(of: "file")
        try write("new", to: replacement)
        try replacement.commit()
        #expect(try folder.text(of: "file") == "new")
    }

    @Test(arguments: ["", "n", "longer than before"])
    func `a file with two names keeps both`(content: String) throws {
        try folder.write("old", to: "file")
        unsafe link(folder["file"], folder["twin"])
        let replacement = try replacement(of: "file")
        try write(content, to: replacement)
        try replacement.commit()
        #expect(FileStatus(of: folder["twin"])?.linkCount == 2)
        unsafe unlink(folder["file"])
        #expect(try folder.text(of: "twin") == content)
        #expect(folder.names == ["twin"])
    }

    @Test func `in a folder that cannot be written the file is overwritten`() async {
        await #expect(processExitsWith: .success) {
            let (folder, fallback) = (TestFolder(), TestFolder())
            try folder.write("old", to: "file")
            for path in [folder.path, fallback.path, folder["file"]] { unsafe chown(path, 65534, 65534) }
            unsafe chmod(folder.path, 0o500)
            // The superuser may write everywhere. As another user the process could not be searched for leaks at its end.
            let user = geteuid()
            if user == 0 { seteuid(65534) }
            defer { if user == 0 { seteuid(user) } }
            do {
                let replacement = try FileReplacement(
                    of: folder["file"], path: FilePath.temporary(in: folder.path),
                    fallbackPath: FilePath.temporary(in: fallback.path))
                try unsafe Array("new".utf8).withUnsafeBytes { try unsafe replacement.write($0) }
                try replacement.commit()
                #expect(try folder.text(of: "file") == "new")
            }
            #expect(folder.names == ["file"])
            #expect(fallback.names.isEmpty)
            unsafe chmod(folder.path, 0o700)
        }
    }

    @Test func `a new file in a folder that does not exist is an error`() throws {
        let target = folder["none/file"]
        #expect(throws: SystemCallError(.open, code: ENOENT)) {
            try FileReplacement(
                of: target, path: FilePath.temporary(beside: target),
                fallbackPath: FilePath.temporary(in: fallback.path))
        }
    }

    @Test func `content that may replace nothing gets a name that is free`() throws {
        try folder.write("old", to: "file")
        let replacement = try replacement(of: "file")
        try write("new", to: replacement)
        let error = try #require(throws: SystemCallError.self) { try replacement.commitIfAbsent(to: folder["file"]) }
        #expect(error.isExistingFile)
        try replacement.commitIfAbsent(to: folder["other"])
        #expect(try folder.text(of: "file") == "old" && folder.text(of: "other") == "new")
        #expect(folder.names.sorted() == ["file", "other"])
    }

    @Test func `content gets the time that it is given, also in a file with two names`() throws {
        try folder.write("old", to: "twin")
        unsafe link(folder["twin"], folder["name"])
        for name in ["file", "twin"] {
            let replacement = try replacement(of: name)
            try write("new", to: replacement)
            replacement.modificationTime = 784_111_777
            try replacement.commit()
            var status = stat()
            #expect(unsafe stat(folder[name], &status) == 0 && status.st_mtim.tv_sec == 784_111_777)
        }
    }
}
