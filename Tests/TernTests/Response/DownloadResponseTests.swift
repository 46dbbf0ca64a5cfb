// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestProofs
import Testing

@testable import Tern

@Suite struct DownloadResponseTests {
    private struct Reason: Error {}
    private struct Other: Error {}

    private func response(_ result: Result<Int, any Error>) throws -> DownloadResponse<Int> {
        let request = try URLRequest(
            url: "http://joe:secret@x/p", method: .put, headers: ["Authorization": "secret"])
        return DownloadResponse(
            request: request, response: nil, temporaryURL: URL(fileURLWithPath: "/tmp/a"),
            destinationURL: URL(fileURLWithPath: "/b"), resumeData: Data([1, 2, 3]), result: result)
    }

    @Test func `value and error are those of the result`() throws {
        #expect(try response(.success(1)).value == 1)
        #expect(try response(.failure(Reason())).error is Reason)
    }

    @Test(.proves("8.4d")) func `mapping changes the value and nothing else`() throws {
        let mapped = try response(.success(1)).map { "\($0)" }
        #expect(mapped.value == "1" && mapped.resumeData == Data([1, 2, 3]) && mapped.request?.httpMethod == "PUT")
        #expect(mapped.temporaryURL?.path == "/tmp/a" && mapped.destinationURL?.path == "/b")
        #expect(try response(.success(1)).flatMap { _ throws -> Int in throw Reason() }.error is Reason)
        #expect(try response(.success(1)).flatMap { $0 + 1 }.value == 2)
    }

    @Test(.proves("8.4d")) func `mapping the error changes it and nothing else`() throws {
        let failed = try response(.failure(Reason()))
        let mapped = failed.mapError { _ in Other() }
        #expect(mapped.error is Other && mapped.resumeData == failed.resumeData)
        #expect(failed.flatMapError { _ in Other() }.error is Other)
        #expect(failed.flatMapError { _ throws -> Reason in throw Other() }.error is Other)
        #expect(try response(.success(1)).mapError { _ in Other() }.value == 1)
    }

    @Test(.proves("8.4c")) func `the long description shows the query without its secrets`() throws {
        let request = try URLRequest(url: "http://x/p?q=terns&api_key=c2VjcmV0", method: .get)
        let response = DownloadResponse(
            request: request, response: nil, temporaryURL: nil, destinationURL: nil, resumeData: nil,
            result: .success(1))
        #expect(response.debugDescription.hasPrefix("[Request]: GET http://x/p?q=terns&api_key="))
        #expect(!response.debugDescription.contains("c2VjcmV0"))
    }

    @Test(.proves("8.4b")) func `the long description is seven lines without secrets`() throws {
        let response = try response(.success(1))
        #expect(response.description == "SUCCESS: 1")
        #expect(
            response.debugDescription == """
                [Request]: PUT http://x/p
                [Response]: nil
                [TemporaryURL]: /tmp/a
                [DestinationURL]: /b
                [ResumeData]: 3 bytes
                [Result]: SUCCESS: 1
                [Timeline]: \(Timeline().debugDescription)
                """)
    }

    @Test(.proves("8.4a")) func `a response as it came has all that is known`() throws {
        let file = URL(fileURLWithPath: "/tmp/a")
        let response = DefaultDownloadResponse(
            request: nil, response: nil, temporaryURL: file, destinationURL: nil, resumeData: Data([1]),
            error: Reason())
        #expect(response.temporaryURL == file && response.destinationURL == nil && response.resumeData?.count == 1)
        #expect(response.error is Reason && response.metrics == nil && response.timeline == Timeline())
    }
}
