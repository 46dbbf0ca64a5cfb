// SPDX-License-Identifier: Apache-2.0
// Safety: C functions are given terminated strings.
import Glibc
import Testing

@testable import TernFiles

@Suite struct FileContentTests {
    private let folder = TestFolder()

    @Test func `a file is read up to its limit, links followed`() throws {
        try folder.write("abc", to: "file")
        unsafe symlink("file", folder["link"])
        for name in ["file", "link"] { #expect(try FileContent.read(folder[name], limit: 3) == Array("abc".utf8)) }
        let error = #expect(throws: SystemCallError.self) { try FileContent.read(folder["file"], limit: 2) }
        #expect(error?.code == EFBIG)
        #expect(try FileContent.read(folder["none"], limit: 3) == nil)
        #expect(try FileContent.read(folder["file/none"], limit: 3) == nil)
    }

    @Test func `a file whose length is not known before is read, and one that has no end is not`() throws {
        #expect(try FileContent.read("/proc/self/stat", limit: 1 << 20)?.isEmpty == false)
        let error = #expect(throws: SystemCallError.self) { try FileContent.read("/proc/self/stat", limit: 10) }
        #expect(error?.code == EFBIG)
    }

    @Test func `a file longer than its limit takes no memory`() throws {
        try folder.write("", to: "sparse")
        unsafe truncate(folder["sparse"], 1 << 40)
        #expect(throws: SystemCallError.self) { try FileContent.read(folder["sparse"], limit: 1 << 20) }
    }

    @Test func `what is no regular file is refused, and nothing waits for it`() {
        unsafe mkfifo(folder["pipe"], 0o600)
        for path in [folder["pipe"], folder.path, "/dev/null", "/dev/zero"] {
            let error = #expect(throws: SystemCallError.self) { try FileContent.read(path, limit: 10) }
            #expect(error?.code == EINVAL)
        }
        let error = #expect(throws: SystemCallError.self) { try FileContent.read("/dev/null\0", limit: 10) }
        #expect(error == .invalidPath)
    }
}
