// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestProofs
import Testing

@testable import Tern

@Suite struct DataResponseTests {
    private struct Reason: Error {}

    private func response(_ result: Result<Int, any Error>) throws -> DataResponse<Int> {
        var request = try URLRequest(url: "http://joe:secret@x/p", method: .put, headers: ["Authorization": "secret"])
        request.httpBody = Data("secret".utf8)
        return DataResponse(request: request, response: nil, data: Data([1, 2, 3]), result: result)
    }

    @Test(.proves("8.3a")) func `value and error are those of the result`() throws {
        #expect(try response(.success(1)).value == 1)
        #expect(try response(.failure(Reason())).error is Reason)
    }

    @Test(.proves("8.3d")) func `mapping changes the value and nothing else`() throws {
        let mapped = try response(.success(1)).map { "\($0)" }
        #expect(mapped.value == "1")
        #expect(mapped.data == Data([1, 2, 3]))
        #expect(mapped.request?.httpMethod == "PUT")
        #expect(try response(.failure(Reason())).map { "\($0)" }.error is Reason)
    }

    @Test(.proves("8.3f")) func `every mapping keeps the times and the metrics`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("1")] }
        let manager = SessionManager()
        let response = await manager.request(origin.url()).serializingString().response
        #expect(response.metrics?.end != nil && response.timeline != Timeline())
        let mapped = [
            response.map { $0 + "2" }, response.flatMap { text throws in text + "2" },
            response.mapError { _ in Other() }, response.flatMapError { _ in Other() },
        ]
        for mapped in mapped {
            #expect(mapped.metrics?.end == response.metrics?.end && mapped.timeline == response.timeline)
            #expect(mapped.response?.statusCode == 200 && mapped.request?.url == response.request?.url)
        }
    }

    @Test(.proves("8.3e")) func `what a transform throws is the error`() throws {
        #expect(try response(.success(1)).flatMap { _ throws -> Int in throw Reason() }.error is Reason)
        #expect(try response(.success(1)).flatMap { $0 + 1 }.value == 2)
    }

    private struct Other: Error {}

    @Test(.proves("8.3d", "8.3e")) func `mapping the error changes it and nothing else`() throws {
        let failed = try response(.failure(Reason()))
        let mapped = failed.mapError { _ in Other() }
        #expect(mapped.error is Other && mapped.data == failed.data && mapped.request?.httpMethod == "PUT")
        #expect(failed.flatMapError { _ in Other() }.error is Other)
        #expect(failed.flatMapError { _ throws -> Reason in throw Other() }.error is Other)
        #expect(try response(.success(1)).mapError { _ in Other() }.value == 1)
        #expect(try response(.success(1)).flatMapError { _ in Other() }.value == 1)
    }

    @Test(.proves("8.3c")) func `the long description shows the query without its secrets`() throws {
        let request = try URLRequest(url: "http://x/p?q=terns&api_key=c2VjcmV0", method: .get)
        let response = DataResponse(request: request, response: nil, data: nil, result: .success(1))
        #expect(response.debugDescription.hasPrefix("[Request]: GET http://x/p?q=terns&api_key="))
        #expect(!response.debugDescription.contains("c2VjcmV0"))
    }

    @Test(.proves("8.3b")) func `the long description is five lines without secrets`() throws {
        let response = try response(.success(1))
        #expect(response.description == "SUCCESS: 1")
        #expect(
            response.debugDescription == """
                [Request]: PUT http://x/p
                [Response]: nil
                [Data]: 3 bytes
                [Result]: SUCCESS: 1
                [Timeline]: \(Timeline().debugDescription)
                """)
    }
}
