// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import TestProofs
import Testing

@Suite struct ResponseSerializationTests {
    private struct Reason: Error {}

    private let manager = SessionManager()

    private func request(
        status: Int = 200, contentType: String? = nil, body: [UInt8] = []
    ) async throws -> DataRequest {
        let fields = contentType.map { [(name: "Content-Type", value: $0)] } ?? []
        let origin = try ScriptedOrigin { _, _ in [.respond(status: status, fields: fields, body: body)] }
        let request = manager.request(origin.url())
        _ = await request.serializingData().response
        return request
    }

    private func json(_ request: DataRequest) async -> Result<String, any Error> {
        let serializer = DataRequest.jsonResponseSerializer()
        return await request.serializingResponse(
            using: DataResponseSerializer { serializer.serializeResponse($0, $1, $2, $3).map { "\($0)" } }
        ).result
    }

    @Test(.proves("8.8a", "8.10c")) func `an error stays the error, whatever came`() {
        let data = Data("1".utf8)
        #expect(DataRequest.dataResponseSerializer().serializeResponse(nil, nil, data, Reason()).error is Reason)
        #expect(DataRequest.stringResponseSerializer().serializeResponse(nil, nil, data, Reason()).error is Reason)
        #expect(DataRequest.jsonResponseSerializer().serializeResponse(nil, nil, data, Reason()).error is Reason)
        let decodable = DataRequest.decodableResponseSerializer(of: Int.self)
        #expect(decodable.serializeResponse(nil, nil, data, Reason()).error is Reason)
    }

    @Test(.proves("8.8c", "8.10c")) func `no data are an error, and not the same as empty ones`() {
        let data = DataRequest.dataResponseSerializer().serializeResponse
        guard case .responseSerializationFailed(.inputDataNil)? = data(nil, nil, nil, nil).error as? AFError else {
            Issue.record("not inputDataNil")
            return
        }
        #expect(data(nil, nil, Data(), nil).value == Data())
        #expect(DataRequest.stringResponseSerializer().serializeResponse(nil, nil, Data(), nil).value == "")
        for input in [nil, Data()] {
            let error = DataRequest.jsonResponseSerializer().serializeResponse(nil, nil, input, nil).error as? AFError
            guard case .responseSerializationFailed(.inputDataNilOrZeroLength)? = error else {
                Issue.record("not inputDataNilOrZeroLength")
                return
            }
        }
    }

    @Test(.proves("8.11a")) func `a property list is what PropertyListSerialization makes of it`() throws {
        let list: NSDictionary = ["a": [1, 2], "b": Date(timeIntervalSince1970: 0)]
        let serialize = DataRequest.propertyListResponseSerializer().serializeResponse
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let data = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
            #expect(serialize(nil, nil, data, nil).value as? NSDictionary == list)
        }
        for input in [nil, Data()] {
            guard
                case .responseSerializationFailed(.inputDataNilOrZeroLength)? =
                    serialize(nil, nil, input, nil).error as? AFError
            else {
                Issue.record("not inputDataNilOrZeroLength")
                return
            }
        }
        let error = serialize(nil, nil, Data("<plist".utf8), nil).error as? AFError
        guard case .responseSerializationFailed(.propertyListSerializationFailed)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(serialize(nil, nil, nil, Reason()).error is Reason)
    }

    @Test(.proves("8.11b"), arguments: [204, 205])
    func `the static serializers hold to the same rules`(status: Int) throws {
        let url = try #require(URL(string: "http://x/"))
        let empty = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil)
        #expect(DataRequest.serializeResponseData(response: empty, data: nil, error: nil).value == Data())
        #expect(
            DataRequest.serializeResponseString(encoding: nil, response: empty, data: nil, error: nil).value == "")
        #expect(
            DataRequest.serializeResponseJSON(options: [], response: empty, data: nil, error: nil).value is NSNull)
        #expect(
            DataRequest.serializeResponsePropertyList(options: [], response: empty, data: nil, error: nil).value
                is NSNull)
        let failed = Request.serializeResponseJSON(options: [], response: empty, data: nil, error: Reason())
        #expect(failed.error is Reason)
        let text = Request.serializeResponseString(
            encoding: .utf8, response: nil, data: Data("ü".utf8), error: nil)
        #expect(text.value == "ü")
    }

    @Test(.proves("8.11a")) func `a handler gets a property list`() async throws {
        let data = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0)
        let origin = try ScriptedOrigin { _, _ in [.respond(body: [UInt8](data))] }
        let (values, continuation) = AsyncStream.makeStream(of: Int?.self)
        manager.request(origin.url()).responsePropertyList { response in
            continuation.yield((response.value as? [String: Int])?["a"])
        }
        #expect(await values.first { _ in true } == 1)
    }

    @Test(.proves("8.8b", "8.9b", "8.10b"), arguments: [204, 205])
    func `a status that promises no body has an empty value`(status: Int) async throws {
        let request = try await request(status: status)
        #expect(try await request.serializingData().value.isEmpty)
        #expect(try await request.serializingString().value == "")
        let serializer = DataRequest.jsonResponseSerializer()
        let isNull = DataResponseSerializer { serializer.serializeResponse($0, $1, $2, $3).map { $0 is NSNull } }
        #expect(try await request.serializingResponse(using: isNull).value)
    }

    @Test(
        .proves("8.9a"),
        arguments: [
            ("text/plain; charset=utf-8", [0xC3, 0xA4], "ä"), ("text/plain; charset=\"UTF-8\"", [0xC3, 0xA4], "ä"),
            ("text/plain; charset=iso-8859-1", [0xC3, 0xA4], "Ã¤"), ("text/plain", [0xE4], "ä"),
            ("text/plain; charset=windows-1252", [0x80], "€"), ("text/plain; charset=iso-8859-2", [0xA3], "Ł"),
            ("text/plain; charset=utf-16le", [0x41, 0x00], "A"), ("text/plain; charset=us-ascii", [0x41], "A"),
            ("text/plain; charset=koi8-r", [0xC1], "а"), ("text/plain; charset=utf8", [0xC3, 0xA9], "é"),
            ("text/plain; charset=\" GB2312 \"", [0xC4, 0xE3], "你"), ("text/plain; charset=", [0xE4], "ä"),
            ("text/plain; charset=latin1", [0x80, 0x81, 0xE4], "€\u{81}ä"), ("text/plain", [0x80], "\u{80}"),
        ] as [(String, [UInt8], String)])
    func `text is in the charset it says, or ISO-8859-1`(type: String, bytes: [UInt8], text: String) async throws {
        let request = try await request(contentType: type, body: bytes)
        #expect(try await request.serializingString().value == text)
    }

    @Test(arguments: ["martian", "x-user-defined", "replacement", "ISO-8859-12", String(repeating: "x", count: 200)])
    func `an unknown charset is an error that names it`(label: String) async throws {
        let request = try await request(contentType: "text/plain; charset=\(label)", body: [0x41])
        let error = await request.serializingString().response.error as? AFError
        guard case .responseSerializationFailed(.stringSerializationFailed)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.localizedDescription.contains("\"\(label.lowercased().prefix(40))\", which is unknown") == true)
        #expect(try await request.serializingString(encoding: .utf8).value == "A")
    }

    @Test(.proves("8.9a")) func `an encoding that is asked for goes before the one the response names`() async throws {
        let request = try await request(contentType: "text/plain; charset=iso-8859-1", body: [0xC3, 0xA4])
        #expect(try await request.serializingString(encoding: .utf8).value == "ä")
    }

    @Test(.proves("8.9c")) func `bytes that are no text in an encoding are an error`() async throws {
        let request = try await request(contentType: "text/plain; charset=utf-8", body: [0xFF, 0xFE, 0xFD])
        let error = await #expect(throws: AFError.self) { try await request.serializingString().value }
        #expect(error?.failedStringEncoding == .utf8)
    }

    @Test(.proves("8.10a")) func `JSON is what JSONSerialization makes of it, fragments included`() async throws {
        #expect(try await json(request(body: Array("[1, true]".utf8))).get().contains("1"))
        #expect(try await json(request(body: Array("\"text\"".utf8))).get() == "text")
        let error = try await json(request(body: Array("{".utf8))).error as? AFError
        #expect(error?.isResponseSerializationError == true)
        #expect(error?.underlyingError != nil)
    }

    @Test func `what a decoder cannot decode is an error that says why`() async throws {
        let request = try await request(body: Array(#"{"a":1}"#.utf8))
        let error = await #expect(throws: AFError.self) {
            try await request.serializingDecodable([String: String].self).value
        }
        #expect(error?.underlyingError is DecodingError)
        #expect(try await request.serializingDecodable([String: Int].self).value == ["a": 1])
    }
}

// Imports what a user's test of a serializer imports: no server, no session.
import Foundation
import Tern
import TestProofs
import Testing

@Suite struct DataResponseSerializerTests {
    private struct Unexpected: Error {}

    /// As a user would write it: the lines of a text, if the server says that it is one.
    private let lines = DataResponseSerializer<[String]> { _, response, data, error in
        if let error { return .failure(error) }
        guard let data, response?.mimeType == "text/plain" else { return .failure(Unexpected()) }
        return .success(String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init))
    }

    private func serialize(_ type: String, _ text: String) throws -> Result<[String], any Error> {
        let url = try #require(URL(string: "https://example.com/"))
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": type]))
        return lines.serializeResponse(URLRequest(url: url), response, Data(text.utf8), nil)
    }

    @Test(.proves("8.5a")) func `a serializer of one's own is tested with responses of one's own`() throws {
        #expect(try serialize("text/plain; charset=utf-8", "a\nb").get() == ["a", "b"])
        #expect(throws: Unexpected.self) { try serialize("text/html", "a").get() }
        let response = try HTTPURLResponse(url: nil, statusCode: 200, headers: ["Content-Type": "text/plain"])
        let made = DataResponse(
            request: nil, response: response, data: Data("a".utf8),
            result: lines.serializeResponse(nil, response, Data("a".utf8), nil))
        #expect(made.value == ["a"])
    }
}
