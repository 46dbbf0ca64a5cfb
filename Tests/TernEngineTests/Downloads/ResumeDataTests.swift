// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernHTTP1
import Testing

@testable import TernEngine

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

    @Test func `credentials in a URL are not written down`() throws {
        let url = try #require(URL(string: "http://user:secret@a.test/b#c"))
        #expect(ResumeData.withoutUserinfo(url)?.absoluteString == "http://a.test/b")
    }
}
