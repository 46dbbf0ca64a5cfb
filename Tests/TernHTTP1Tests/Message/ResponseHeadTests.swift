// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct ResponseHeadTests {
    private func head(_ text: String) throws -> ResponseHead? {
        var exchange = Exchange()
        var output: [UInt8] = []
        let origin = HTTPOrigin(scheme: .http, host: "a", port: 80)
        let request = RequestHead(method: "GET", target: .origin("/"), origin: origin, fields: [:])
        try exchange.begin(request, body: .none, defaults: [:], into: &output)
        let bytes = unescaped(text)
        var offset = 0
        guard case .head(let head) = try exchange.receive(bytes.span, from: &offset) else { return nil }
        return head
    }

    @Test func `A head answers for its parts`() throws {
        let head = try #require(
            try head(#"HTTP/1.0 404 Not Found\r\nA: 1\r\nSet-Cookie: x\r\na:\t2 \r\nset-cookie: y\r\nEmpty:\r\n\r\n"#))
        #expect(head.status == 404)
        #expect(head.reason == "Not Found")
        #expect(head.version == HTTPVersion(major: 1, minor: 0))
        #expect("\(head.version)" == "HTTP/1.0")
        #expect(head.contentLength == nil)
        #expect(head.count == 5)
        #expect(head.name(at: 2) == "a" && head.value(at: 2) == "2")
        #expect(head.name(at: 4) == "Empty" && head.value(at: 4) == "")
        #expect(head["A"] == "1, 2")
        #expect(head["Set-Cookie"] == "x")
        #expect(head.values(for: "SET-COOKIE") == ["x", "y"])
        #expect(head["Absent"] == nil && head.values(for: "Absent") == [])
        #expect(head.contains("empty") && !head.contains("absent"))
        #expect(head.fields == ["A": "1", "Set-Cookie": "x", "a": "2", "set-cookie": "y", "Empty": ""])
    }

    @Test(arguments: [#"HTTP/1.0 404 Not Found\r\nA: 1\r\n b\r\nContent-Length: 3\r\n\r\n"#, #"HTTP/1.1 200 \r\n\r\n"#])
    func `a field may follow the others`(_ text: String) throws {
        let head = try #require(try head(text))
        _ = head.attached(to: Marker())
        let longer = head.appending("Age", "12")
        #expect(longer.fields == HeaderFields(head.fields + [HeaderField(name: "Age", value: "12")]))
        #expect(longer.status == head.status && longer.reason == head.reason && longer.version == head.version)
        #expect(longer.contentLength == head.contentLength)
        #expect(longer["age"] == "12" && longer.annex == nil)
        #expect(longer.appending("", "").count == head.count + 2)
        #expect(try ResponseHead(encoded: longer.encoded).fields == longer.fields)
    }

    @Test func `A description hides secrets`() throws {
        let head = try #require(try head(#"HTTP/1.1 204 Gone\r\nSet-Cookie: s3\r\nA: b\r\n\r\n"#))
        #expect("\(head)" == "HTTP/1.1 204 Gone\nSet-Cookie: …\nA: b")
        #expect(!"\(ResponseEvent.head(head))".contains("s3"))
    }

    @Test func `A position beyond the fields is empty and no crash`() throws {
        let head = try #require(try head(#"HTTP/1.1 204\r\nA: 1\r\n\r\n"#))
        for index in [-1, 1, Int.max, Int.min] {
            #expect(head.name(at: index) == "" && head.value(at: index) == "")
        }
        #expect(head.reason == "")
    }

    @Test func `More fields than one step of the table are all there`() throws {
        var text = #"HTTP/1.1 200 OK\r\n"#
        for index in 0..<100 { text += #"X-\#(index): v\#(index)\r\n"# }
        let head = try #require(try head(text + #"Content-Length: 7\r\n\r\n"#))
        #expect(head.count == 101)
        #expect((0..<100).allSatisfy { head["x-\($0)"] == "v\($0)" })
        #expect(head.contentLength == 7)
    }
}

@Suite struct HTTPVersionTests {
    @Test func `a version is written as in a status line`() {
        #expect(HTTPVersion(major: 1, minor: 1).description == "HTTP/1.1")
        #expect(HTTPVersion(minorDigit: 0) == HTTPVersion(major: 1, minor: 0))
    }

    @Test func `a number has one digit`() { #expect(HTTPVersion(major: 12, minor: 10).description == "HTTP/2.0") }

    @Test func `the first object is attached to a head in place, and others to copies of it`() throws {
        let head = try ResponseHead(status: 200, reason: "Fine", fields: ["A": "1", "Content-Length": "5"])
        let (first, second) = (Marker(), Marker())
        let attached = head.attached(to: first)
        #expect(attached.annex === first && head.annex === first)
        #expect(head.attached(to: first).annex === first)
        let copy = head.attached(to: second)
        #expect(copy.annex === second && head.annex === first)
        #expect(copy.encoded == head.encoded && copy.contentLength == 5 && copy.reason == "Fine")
    }

    @Test func `an attached object lives as long as the head`() throws {
        weak var released: Marker?
        var head: ResponseHead? = try ResponseHead(status: 200)
        do {
            let marker = Marker()
            released = marker
            head = head?.attached(to: marker)
        }
        #expect(released != nil && head?.annex === released)
        head = nil
        #expect(released == nil)
    }

    @Test func `many threads attach to one head, and each finds its own object`() async throws {
        let head = try ResponseHead(status: 200, fields: ["A": "1"])
        let areRight = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    let marker = Marker()
                    let attached = head.attached(to: marker)
                    return attached.annex === marker && attached["A"] == "1"
                }
            }
            return await group.reduce(true) { $0 && $1 }
        }
        #expect(areRight)
    }

}

private final class Marker: Sendable {}
