// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TestProofs
import Testing

@Suite struct DownloadRequestSerializersTests {
    private struct Reason: Error {}

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func response(_ status: Int, _ type: String? = nil) throws -> HTTPURLResponse {
        try HTTPURLResponse(
            url: nil, statusCode: status,
            headers: HeaderFields(type.map { [HeaderField(name: "Content-Type", value: $0)] } ?? []))
    }

    private func reason<Value>(_ result: Result<Value, any Error>) -> AFError.ResponseSerializationFailureReason? {
        guard case .responseSerializationFailed(let reason)? = result.error as? AFError else { return nil }
        return reason
    }

    @Test(.proves("8.12a")) func `a file is read as data, text, JSON, property list, or anything Decodable`() throws {
        let json = try folder.file("json", #"{"a": [1]}"#)
        #expect(DownloadRequest.dataResponseSerializer().serializeResponse(nil, nil, json, nil).value?.count == 10)
        let string = DownloadRequest.stringResponseSerializer().serializeResponse
        #expect(string(nil, nil, json, nil).value == #"{"a": [1]}"#)
        let object = DownloadRequest.jsonResponseSerializer().serializeResponse(nil, nil, json, nil)
        #expect((object.value as? [String: [Int]]) == ["a": [1]])
        let decoded = DownloadRequest.decodableResponseSerializer(of: [String: [Int]].self)
        #expect(decoded.serializeResponse(nil, nil, json, nil).value == ["a": [1]])
        let list = try folder.file("list")
        try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .xml, options: 0).write(to: list)
        let property = DownloadRequest.propertyListResponseSerializer().serializeResponse(nil, nil, list, nil)
        #expect((property.value as? [String: Int]) == ["a": 1])
    }

    @Test func `text is in the charset it says, or in the one that is asked for`() throws {
        let file = try folder.file("text")
        try Data([0xE9]).write(to: file)
        let serialize = DownloadRequest.stringResponseSerializer().serializeResponse
        #expect(serialize(nil, nil, file, nil).value == "é")
        guard
            case .stringSerializationFailed(.utf8)? = reason(
                serialize(nil, try response(200, "text/plain; charset=utf-8"), file, nil))
        else {
            Issue.record("not stringSerializationFailed")
            return
        }
        #expect(
            DownloadRequest.stringResponseSerializer(encoding: .windowsCP1252).serializeResponse(nil, nil, file, nil)
                .value
                == "é")
    }

    @Test func `an error stays the error, whatever is in the file`() throws {
        let file = try folder.file("a", "1")
        #expect(DownloadRequest.dataResponseSerializer().serializeResponse(nil, nil, file, Reason()).error is Reason)
        #expect(DownloadRequest.stringResponseSerializer().serializeResponse(nil, nil, file, Reason()).error is Reason)
        #expect(DownloadRequest.jsonResponseSerializer().serializeResponse(nil, nil, nil, Reason()).error is Reason)
    }

    @Test(.proves("8.12b")) func `no file and a file that cannot be read are errors of their own`() throws {
        let missing = try folder.file("missing")
        for serialize in [DownloadRequest.jsonResponseSerializer(), DownloadRequest.propertyListResponseSerializer()] {
            guard case .inputFileNil? = reason(serialize.serializeResponse(nil, nil, nil, nil)),
                case .inputFileReadFailed(missing)? = reason(serialize.serializeResponse(nil, nil, missing, nil)),
                case .inputFileReadFailed? = reason(serialize.serializeResponse(nil, nil, folder.url, nil))
            else {
                Issue.record("other reasons")
                return
            }
        }
    }

    @Test(.proves("8.12c")) func `a status that promises no body has an empty value, an empty file none`() throws {
        let empty = try folder.file("empty", "")
        for status in [204, 205] {
            let response = try response(status)
            #expect(
                DownloadRequest.dataResponseSerializer().serializeResponse(nil, response, empty, nil).value == Data())
            #expect(DownloadRequest.stringResponseSerializer().serializeResponse(nil, response, empty, nil).value == "")
            #expect(
                DownloadRequest.jsonResponseSerializer().serializeResponse(nil, response, empty, nil).value is NSNull)
        }
        guard
            case .inputDataNilOrZeroLength? = reason(
                DownloadRequest.jsonResponseSerializer().serializeResponse(nil, try response(200), empty, nil))
        else {
            Issue.record("not inputDataNilOrZeroLength")
            return
        }
    }
}
