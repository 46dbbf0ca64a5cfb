// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernEngine
@testable import TernIO

@Suite struct FileRangeTests {
    @Test func `what was sent is dropped, and never more than there is`() throws {
        let folder = try TestFolder()
        try folder.write("0123456789", to: "file")
        let file = try #require(try FileRange.File(path: folder.path + "/file"))
        let range = FileRange(file: file, range: 2..<8, whenShort: nil)
        #expect(range.dropping(0).range == 2..<8)
        #expect(range.dropping(4).range == 6..<8)
        #expect(range.dropping(6).range == 8..<8)
        #expect(range.dropping(100).range == 8..<8)
    }

    @Test func `what is no regular file is not opened, and what is missing is an error`() throws {
        let folder = try TestFolder()
        let fifo = folder.path + "/fifo"
        unsafe mkfifo(fifo, 0o600)
        #expect(try FileRange.File(path: fifo) == nil)
        #expect(try FileRange.File(path: folder.path) == nil)
        #expect(throws: SystemCallError.self) { try FileRange.File(path: folder.path + "/missing") }
        #expect(throws: SystemCallError.self) { try FileRange.File(path: fifo + "\0") }
    }
}
