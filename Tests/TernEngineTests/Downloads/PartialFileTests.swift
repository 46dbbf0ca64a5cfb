// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernHTTP1
import Testing

@testable import TernEngine

@Suite struct PartialFileTests {
    private func text(path: String) -> Data {
        Data(
            """
            {"entityTag":"\\"one\\"","fields":[["Accept","*/*"]],"format":"tern-resume-data",\
            "partialFile":"\(path)","receivedLength":5,"totalLength":10,"url":"http://a.test/b?c","version":1}
            """.utf8)
    }

    @Test func `the file must exist, unchanged, and belong to this user`() throws {
        let folder = try TestFolder()
        let path = folder.path + "/tern-download-1.tmp"
        let data = try ResumeData(text(path: path))
        #expect(throws: ResumeDataError.missingFile(path: path)) { try PartialFile(data) }
        try folder.write("1234", to: "tern-download-1.tmp")
        #expect(throws: ResumeDataError.wrongLength(4, expected: 5)) { try PartialFile(data) }
        try folder.write("1234567", to: "tern-download-1.tmp")
        let first = try PartialFile(data)
        #expect(first.data.countOfBytesReceived == 5)
        #expect(throws: ResumeDataError.inUse(path: path)) { try PartialFile(data) }
        _ = first
    }

    @Test func `links, folders and FIFOs are no partial files`() throws {
        let folder = try TestFolder()
        let path = folder.path + "/tern-download-1.tmp"
        let data = try ResumeData(text(path: path))
        try folder.write("1234567", to: "file")
        unsafe symlink("file", path)
        #expect(throws: ResumeDataError.foreignFile(path: path)) { try PartialFile(data) }
        unsafe unlink(path)
        unsafe link(folder.path + "/file", path)
        #expect(throws: ResumeDataError.foreignFile(path: path)) { try PartialFile(data) }
        unsafe unlink(path)
        unsafe mkfifo(path, 0o600)
        #expect(throws: ResumeDataError.foreignFile(path: path)) { try PartialFile(data) }
        unsafe unlink(path)
        unsafe mkdir(path, 0o700)
        #expect(throws: ResumeDataError.foreignFile(path: path)) { try PartialFile(data) }
    }
}
