// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import Testing

@testable import TernEngine

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
