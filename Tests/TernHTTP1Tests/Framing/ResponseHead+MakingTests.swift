// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

@Suite struct ResponseHeadMakingTests {
    private func refusal(
        status: Int = 200, version: HTTPVersion = HTTPVersion(major: 1, minor: 1), reason: String = "",
        fields: HeaderFields = [:]
    ) -> HTTPProtocolError.Reason? {
        do throws(HTTPProtocolError) {
            _ = try ResponseHead(status: status, version: version, reason: reason, fields: fields)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func `A head that is made answers as one that came`() throws {
        let fields: HeaderFields = ["A": "1", "Set-Cookie": "x", "a": "\t2 ", "Content-Length": "7", "Empty": ""]
        let head = try ResponseHead(
            status: 404, version: HTTPVersion(major: 1, minor: 0), reason: "Not Found", fields: fields)
        #expect(head.status == 404)
        #expect(head.reason == "Not Found")
        #expect(head.version == HTTPVersion(major: 1, minor: 0))
        #expect(head.contentLength == 7)
        #expect(head["a"] == "1, 2")
        #expect(head.fields == ["A": "1", "Set-Cookie": "x", "a": "2", "Content-Length": "7", "Empty": ""])
        let bare = try ResponseHead(status: 204)
        #expect(bare.status == 204 && bare.reason.isEmpty && bare.fields.isEmpty)
        #expect(bare.version == HTTPVersion(major: 1, minor: 1))
    }

    @Test(arguments: [Int.min, -200, 0, 99, 1000, .max]) func `A status has three digits and a class`(status: Int) {
        #expect(refusal(status: status) == .statusLine(.status))
    }

    @Test(arguments: [100, 101, 599, 999]) func `Any status from 100 to 999 can be`(status: Int) throws {
        #expect(try ResponseHead(status: status).status == status)
    }

    @Test func `A version is one of major version 1`() {
        #expect(refusal(version: HTTPVersion(major: 2, minor: 0)) == .statusLine(.unsupportedVersion))
    }

    @Test(arguments: ["a\r\nB: c", "a\nb", "a\u{0}"]) func `No text ends its line`(text: String) {
        #expect(refusal(reason: text) == .statusLine(.reasonPhrase))
        #expect(refusal(fields: ["A": text]) == .request(.fieldValue))
        #expect(refusal(fields: [text: "v"]) == .request(.fieldName))
    }

    @Test(arguments: ["", " ", "a b", "a:", "ä"]) func `A name is a token`(name: String) {
        #expect(refusal(fields: [name: "v"]) == .request(.fieldName))
    }

    @Test func `A refusal shows no value`() {
        let error = #expect(throws: HTTPProtocolError.self) {
            try ResponseHead(status: 200, fields: ["Authorization": "s3\u{0}"])
        }
        #expect(error.map { "\($0)".contains("s3") } == false)
    }

    @Test func `Fields that leave the content's end open are refused as a server's are`() {
        #expect(refusal(fields: ["Content-Length": "x"]) == .framing(.length))
        #expect(refusal(fields: ["Content-Length": "1", "content-length": "2"]) == .framing(.differingLengths))
    }

    @Test func `More than a server may send is one's own affair`() throws {
        let value = String(repeating: "v", count: 300)
        let fields = (0..<1000).map { HeaderField(name: "X-\($0)", value: value) }
        #expect(try ResponseHead(status: 200, fields: HeaderFields(fields)).count == 1000)
    }
}
