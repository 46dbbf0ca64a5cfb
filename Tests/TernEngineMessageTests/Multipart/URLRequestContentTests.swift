// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine

@Suite struct URLRequestContentTests {
    private static let url = "http://localhost/"

    @Test func `a form keeps the order and the repeats of its names`() throws {
        let request = try URLRequest.post(Self.url, form: ["b": "1", "a": "2 3", "b": "é&=+"])
        #expect(request.httpMethod == "POST")
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.httpBody == Data("b=1&a=2+3&b=%C3%A9%26%3D%2B".utf8))
    }

    @Test func `every byte of a name and a value arrives`() throws {
        let text = String(String.UnicodeScalarView((0..<0x180).compactMap(Unicode.Scalar.init)))
        var request = try URLRequest(string: Self.url)
        request.setForm([URLQueryItem(name: text, value: text), URLQueryItem(name: "", value: nil)])
        let body = try #require(request.httpBody)
        #expect(body.allSatisfy { (0x21..<0x7f).contains($0) })
        let pairs = String(decoding: body, as: UTF8.self).split(separator: "&", omittingEmptySubsequences: false)
        #expect(pairs.count == 2)
        #expect(pairs.last == "=")
        let parts = try #require(pairs.first).split(separator: "=").map { part in
            let bytes = Array(part.utf8).map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
            return PercentEncoding.decoded(bytes[...]).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(parts == [text, text])
    }

    @Test func `an empty form has no content, and is one`() throws {
        let request = try URLRequest.post(Self.url, form: [:])
        #expect(request.httpBody == Data())
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
    }

    @Test func `a file has the type of its name`() throws {
        var request = try URLRequest(string: Self.url)
        request.httpMethod = "PUT"
        request.setFile(URL(filePath: "/tmp/a b%20/picture.PNG"))
        #expect(request.httpMethod == "PUT")
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "image/png")
        guard case .file("/tmp/a b%20/picture.PNG")? = request.body else {
            Issue.record("\(String(describing: request.body))")
            return
        }
    }

    @Test func `a value that cannot be encoded, and a URL that is none, are errors`() throws {
        #expect(throws: EncodingError.self) { try URLRequest.post(Self.url, json: Double.nan) }
        #expect(throws: InvalidRequest.self) { try URLRequest.post("ftp://localhost/", json: 1) }
        #expect(throws: InvalidRequest.self) { try URLRequest.post("", form: [:]) }
    }
}
