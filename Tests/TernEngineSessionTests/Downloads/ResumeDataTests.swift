// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernHTTP1
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct ResumeDataTests {
    private func text(_ change: (String, String)? = nil, path: String = "/tmp/tern-download-1.tmp") -> Data {
        var text = """
            {"entityTag":"\\"one\\"","fields":[["Accept","*/*"]],"format":"tern-resume-data",\
            "partialFile":"\(path)","receivedLength":5,"totalLength":10,"url":"http://a.test/b?c","version":1}
            """
        if let change { text = text.replacing(change.0, with: change.1) }
        return Data(text.utf8)
    }

    @Test func `what was written down is read`() throws {
        let data = try ResumeData(text())
        #expect(data.url.absoluteString == "http://a.test/b?c")
        #expect(data.partialFile.path() == "/tmp/tern-download-1.tmp")
        #expect((data.countOfBytesReceived, data.countOfBytesExpectedToReceive) == (5, 10))
        #expect(data.validator == .entityTag("\"one\""))
        #expect(data.fields == ["Accept": "*/*"])
        #expect(data.data == text())
        #expect(try ResumeData(data.data) == data)
    }

    @Test func `the resource that the content is from is written down without its query`() throws {
        let source = ContentSource(URL(string: "http://user:secret@A.test:8080/b%20c?signature=secret#d"))
        #expect(source?.text == "http://a.test:8080/b%20c")
        let data = try ResumeData(text(("\"totalLength\"", "\"source\":\"http://a.test:8080/b%20c\",\"totalLength\"")))
        #expect(data.source == source)
        #expect(try ResumeData(data.data) == data)
    }

    @Test func `credentials in a URL are not written down`() throws {
        let url = try #require(URL(string: "http://user:secret@a.test/b#c"))
        #expect(ResumeData.withoutUserinfo(url)?.absoluteString == "http://a.test/b")
    }
}

@Suite struct ResumeDataCodecTests {
    private func text(_ change: (String, String)? = nil) -> Data {
        var text = """
            {"entityTag":"\\"one\\"","fields":[["Accept","*/*"]],"format":"tern-resume-data",\
            "partialFile":"/tmp/tern-download-1.tmp","receivedLength":5,"totalLength":10,"url":"http://a.test/b?c",\
            "version":1}
            """
        if let change { text = text.replacing(change.0, with: change.1) }
        return Data(text.utf8)
    }

    @Test func `a file is read like the data in it, and a missing one says so`() throws {
        let folder = try TestFolder()
        try folder.write(String(decoding: text(), as: UTF8.self), to: "data")
        #expect(try ResumeDataCodec.read(at: folder.path + "/data") == ResumeData(text()))
        let path = folder.path + "/missing"
        #expect(throws: ResumeDataError.missingFile(path: path)) { try ResumeDataCodec.read(at: path) }
    }

    @Test func `bytes that are not UTF-8 are kept`() throws {
        let data = try ResumeData(text(("\"\\\"one\\\"\"", "[\"\\\"\u{E9}\\\"\",\"iso-8859-1\"]")))
        #expect(data.validator.fieldValue.bytes == [0x22, 0xE9, 0x22])
        #expect(try ResumeData(data.data) == data)
        let fields = try ResumeData(text(("\"*/*\"", "[\"\u{E9}\",\"iso-8859-1\"]")))
        #expect(fields.request.headers.map(\.bytes) == [[0xE9]])
        #expect(try ResumeData(fields.data) == fields)
    }

    @Test(
        arguments: [
            (("\"*/*\"", "[\"\u{100}\",\"iso-8859-1\"]"), .malformed), (("\"*/*\"", "[\"a\",\"other\"]"), .malformed),
            (("tern-resume-data", "other"), .malformed), (("\"version\":1", "\"version\":2"), .unknownVersion(2)),
            (("\"version\":1", "\"version\":\"1\""), .malformed), (("\\\"one\\\"", "W/\\\"one\\\""), .malformed),
            (("\"receivedLength\":5", "\"receivedLength\":11"), .malformed),
            (("\"totalLength\":10", "\"totalLength\":-1"), .malformed),
            (("\"receivedLength\":5", "\"receivedLength\":1e99"), .malformed),
            (("\"url\":\"http", "\"url\":\"ftp"), .invalidRequest),
            (("\"Accept\"", "\"Authorization\""), .malformed), (("*/*", "a\\r\\nb"), .invalidRequest),
            (("[\"Accept\",\"*/*\"]", "[\"Accept\"]"), .malformed), (("{", ""), .malformed),
            (("/tmp/tern-download-1.tmp", "/etc/passwd"), .suspiciousPath("/etc/passwd")),
            (
                ("/tmp/tern-download-1.tmp", "/tmp/../tern-download-1.tmp"),
                .suspiciousPath("/tmp/../tern-download-1.tmp")
            ),
            (("/tmp/tern-download-1.tmp", "tern-download-1.tmp"), .suspiciousPath("tern-download-1.tmp")),
        ] as [((String, String), ResumeDataError)])
    func `anything else is refused, with the reason`(change: (String, String), reason: ResumeDataError) {
        #expect(throws: reason) { try ResumeData(text(change)) }
    }

    @Test func `no byte of it can be changed into a trap`() {
        let bytes = [UInt8](text())
        for index in bytes.indices {
            for byte in [0, 0x22, 0x2d, 0x39, 0x5c, 0x7b, 0xff] as [UInt8] {
                var changed = bytes
                changed[index] = byte
                _ = try? ResumeData(Data(changed))
            }
            _ = try? ResumeData(Data(bytes.prefix(index)))
        }
        #expect(throws: ResumeDataError.malformed) { try ResumeData(Data(repeating: 0x20, count: 300_000)) }
    }
}

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
