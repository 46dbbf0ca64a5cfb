// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernEngine

@Suite struct FormFileTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test func `a file that has another length when it is sent is an error`() throws {
        let path = folder.path + "/file"
        try folder.write("12345", to: "file")
        let file = try FormFile(path: path)
        #expect(file.length == 5)
        #expect(try file.open().source.size == 5)
        try folder.write("1234", to: "file")
        #expect(throws: MultipartFormError.fileChanged(path: path, length: 5)) { try file.open() }
    }

    @Test func `only a regular file has a length to announce`() throws {
        #expect(throws: MultipartFormError.noRegularFile(path: folder.path)) { try FormFile(path: folder.path) }
        let fifo = folder.path + "/fifo"
        unsafe mkfifo(fifo, 0o600)
        #expect(throws: MultipartFormError.noRegularFile(path: fifo)) { try FormFile(path: fifo) }
        #expect(throws: MultipartFormError.self) { try FormFile(path: folder.path + "/missing") }
    }
}
