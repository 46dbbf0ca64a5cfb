// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import Testing

@testable import TernEngine

/// Dialogues: what is asked, what comes, and what it means.
@Suite struct ResumeStateMachineTests {
    private func resumption(
        _ length: Int64, of total: Int64? = 100, from url: String? = nil
    ) -> ResumeStateMachine {
        ResumeStateMachine(
            ResumeStateMachine.PartialContent(
                validator: .entityTag("\"a\""), length: length, totalLength: total,
                source: ContentSource(url.flatMap { URL(string: $0) })))
    }

    private func head(
        _ status: Int, _ fields: HeaderFields = [:], from url: String? = nil
    ) throws -> HTTPURLResponse {
        try HTTPURLResponse(url: url.flatMap { URL(string: $0) }, statusCode: status, headers: fields)
    }

    private func asked(_ resumption: ResumeStateMachine) throws -> [String?] {
        var request = try URLRequest(string: "http://a.test/")
        resumption.prepare(&request)
        return [request.headers["Range"], request.headers["If-Range"]]
    }

    @Test func `a download without a partial file asks for all, and takes anything`() throws {
        var resumption = ResumeStateMachine()
        #expect(try asked(resumption) == [nil, nil])
        for status in [200, 206, 404, 416] {
            guard case .whole = resumption.head(try head(status)) else {
                Issue.record("\(status)")
                continue
            }
        }
    }

    /// What becomes of it with the `Range` of a request to which only the file itself is an answer.
    private func exact(_ range: String?, _ status: Int, _ fields: HeaderFields = [:]) throws -> String {
        var resumption = ResumeStateMachine(wantsFileOnly: true)
        var request = try URLRequest(string: "http://a.test/")
        request.headers["Range"] = range
        resumption.begin(request)
        return switch resumption.head(try head(status, fields)) {
        case .whole: "whole"
        case .wrong(let error): error.description
        case .rest, .other, .askAgain: "something else"
        }
    }

    @Test func `a part is no file, unless it is the one that was asked for`() throws {
        let part: HeaderFields = ["Content-Range": "bytes 10-14/100"]
        #expect(try exact(nil, 200) == "whole")
        #expect(try exact(nil, 206, part) == "it brings a part, and the whole was requested")
        #expect(try exact("bytes=10-14", 206, part) == "whole")
        #expect(try exact("bytes=-90", 206, part) == "whole")
        #expect(try exact("bytes=0-4", 206, part) == "it begins at byte 10, and was to begin at 0")
        #expect(try exact("bytes=10-14", 206) == "it does not say which (Content-Range)")
        #expect(try exact("bytes=10-14", 206, ["Content-Type": "multipart/byteranges; b=c"]) == "it brings several")
        var again = resumption(40)
        guard case .askAgain = again.head(try head(206, ["ETag": "\"b\""])),
            case .wrong(.unasked) = again.head(try head(206, part))
        else {
            Issue.record("the part was taken")
            return
        }
    }

    @Test func `with a partial file, the rest is requested if the resource is unchanged`() throws {
        var resumption = resumption(40)
        #expect(try asked(resumption) == ["bytes=40-", "\"a\""])
        guard case .rest(40, 100) = resumption.head(try head(206, ["Content-Range": "bytes 40-99/100"])) else {
            Issue.record("no rest")
            return
        }
    }

    @Test func `who may have all asks for the last byte`() throws {
        #expect(try asked(resumption(100)) == ["bytes=99-", "\"a\""])
        #expect(try asked(resumption(1, of: 1)) == [nil, nil])
        var unknown = resumption(40, of: nil)
        guard case .askAgain = unknown.head(try head(416, ["Content-Range": "bytes */40"])) else {
            Issue.record("not asked again")
            return
        }
        #expect(try asked(unknown) == ["bytes=39-", "\"a\""])
        guard case .askAgain = unknown.head(try head(416, ["Content-Range": "bytes */39"])) else {
            Issue.record("not asked again")
            return
        }
        #expect(try asked(unknown) == [nil, nil])
    }

    @Test func `a changed or coded part is asked for as a whole`() throws {
        for fields in [["ETag": "\"b\""], ["ETag": "W/\"a\""], ["Content-Encoding": "gzip"]] as [HeaderFields] {
            var resumption = resumption(40)
            guard case .askAgain = resumption.head(try head(206, fields)) else {
                Issue.record("\(fields)")
                continue
            }
            #expect(try asked(resumption) == [nil, nil])
            guard case .whole = resumption.head(try head(200)) else {
                Issue.record("no whole")
                continue
            }
        }
    }

    @Test(
        arguments: [
            ("http://a.test/b", true), ("http://a.test/b?signature=2", true), ("http://A.test:80/b#c", true),
            ("http://a.test/c", false), ("http://a.test/b/", false), ("http://b.test/b", false),
            ("https://a.test/b", false), ("http://a.test:81/b", false),
        ])
    func `the rest of another resource is not the rest, whatever its tag`(url: String, isRest: Bool) throws {
        var resumption = resumption(40, from: "http://a.test/b?signature=1")
        let fields: HeaderFields = ["Content-Range": "bytes 40-99/100", "ETag": "\"a\""]
        switch resumption.head(try head(206, fields, from: url)) {
        case .rest(40, 100): #expect(isRest)
        case .askAgain: #expect(try !isRest && asked(resumption) == [nil, nil])
        default: Issue.record("\(url)")
        }
        // Resume data of an earlier version names no resource.
        var unknown = self.resumption(40)
        guard case .rest = unknown.head(try head(206, fields, from: url)) else {
            Issue.record("\(url)")
            return
        }
    }

    @Test func `an error is no file, even when the whole was asked for at last`() throws {
        var resumption = resumption(40)
        guard case .other = resumption.head(try head(503)) else {
            Issue.record("503")
            return
        }
        _ = resumption.head(try head(416))
        guard case .other = resumption.head(try head(503)) else {
            Issue.record("503")
            return
        }
    }
}
