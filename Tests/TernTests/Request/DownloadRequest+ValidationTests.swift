// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern

@Suite struct DownloadRequestValidationTests {
    private struct Reason: Error {}

    private let manager = SessionManager()
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        // A response over loopback may be complete before the chain is.
        manager.startRequestsImmediately = false
    }

    private func download(
        status: Int = 200, type: String? = "text/plain", _ body: String = "body"
    ) throws -> DownloadRequest {
        let fields = type.map { [(name: "Content-Type", value: $0)] } ?? []
        let origin = try ScriptedOrigin { _, _ in [.respond(status: status, fields: fields, body: body)] }
        let target = try folder.file("file")
        let url = origin.url()
        let request = manager.download(url) { _, _ in (target, .removePreviousFile) }
        // The origin lives as long as the request.
        return request.response { _ in withExtendedLifetime(origin) {} }
    }

    private func reason(_ request: DownloadRequest) async -> AFError.ResponseValidationFailureReason? {
        request.resume()
        let error = await request.serializingDownloadedFileURL().response.error as? AFError
        guard case .responseValidationFailed(let reason)? = error else { return nil }
        return reason
    }

    @Test(.proves("7.3a", "7.3d"))
    func `validations see where the file was and is, run in order, once, until one fails`() async throws {
        let journal = Journal()
        let request = try download()
            .validate { request, response, temporary, destination in
                journal.note("\(response.statusCode) \(temporary?.text ?? "moved") \(destination?.text ?? "none")")
                return .success
            }
            .validate { _, _, _, _ in .failure(Reason()) }
            .validate { _, _, _, _ in
                journal.note("too far")
                return .success
            }
        request.resume()
        for _ in 0..<2 { #expect(await request.serializingString().response.error is Reason) }
        #expect(journal.entries == ["200 moved body"])
    }

    @Test(.proves("7.3c")) func `the position of validation in the chain does not matter`() async throws {
        let (errors, continuation) = AsyncStream.makeStream(of: (any Error)?.self)
        try download().response { continuation.yield($0.error) }.validate { _, _, _, _ in .failure(Reason()) }.resume()
        #expect(try #require(await errors.first { _ in true }) is Reason)
    }

    @Test(.proves("7.4b")) func `status codes and types are validated as for data`() async throws {
        guard case .unacceptableStatusCode(404)? = await reason(try download(status: 404).validate()),
            case .unacceptableStatusCode(200)? = await reason(try download().validate(statusCode: [201])),
            case .unacceptableContentType(["image/*"], "text/plain")? = await reason(
                try download().validate(contentType: ["image/*"])),
            case .missingContentType? = await reason(try download(type: nil).validate(contentType: ["image/*"]))
        else {
            Issue.record("other reasons")
            return
        }
        #expect(await reason(try download().validate()) == nil)
        #expect(await reason(try download(type: nil).validate()) == nil)
        #expect(await reason(try download(type: nil, "").validate(contentType: ["image/*"])) == nil)
        #expect(await reason(try download().validate(statusCode: 200..<300).validate(contentType: ["text/*"])) == nil)
    }

    @Test(.proves("7.3d")) func `no file and a file that cannot be read are errors of their own`() async throws {
        let unreadable = try download().validate { _, _, _, destination in
            if let destination { try? FileManager.default.removeItem(at: destination) }
            return .success
        }
        guard case .dataFileReadFailed? = await reason(unreadable.validate(contentType: ["text/*"])) else {
            Issue.record("not dataFileReadFailed")
            return
        }
        manager.delegate.downloadTaskDidFinishDownloadingToURL = { _, _, _ in }
        guard case .dataFileNil? = await reason(try download().validate()) else {
            Issue.record("not dataFileNil")
            return
        }
        #expect(await reason(try download().validate(statusCode: [200])) == nil)
    }

    @Test func `what a retried attempt put in its place is replaced by the next`() async throws {
        final class Twice: RequestRetrier {
            func should(
                _ manager: SessionManager, retry request: Request, with error: any Error,
                completion: @escaping RequestRetryCompletion
            ) {
                completion(request.retryCount < 2, 0)
            }
        }
        let left = Lock(2)
        let origin = try ScriptedOrigin { _, _ in
            let fails = left.withLock {
                $0 -= 1
                return $0 >= 0
            }
            return fails ? [.respond(status: 503, body: "busy")] : [.ok("good")]
        }
        manager.retrier = Twice()
        let target = try folder.file("file")
        let request = manager.download(origin.url()) { _, _ in (target, []) }.validate()
        request.resume()
        #expect(await request.serializingString().result.value == "good")
        #expect(request.retryCount == 2 && target.text == "good" && folder.names == ["file"])
        let occupied = manager.download(origin.url()) { _, _ in (target, []) }.validate()
        occupied.resume()
        #expect((await occupied.serializingString().response.error as? CocoaError)?.code == .fileWriteFileExists)
        occupied.discard()
    }
}
