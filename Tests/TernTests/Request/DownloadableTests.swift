// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern

@Suite struct DownloadableTests {
    private final class Adapter: RequestAdapter {
        let journal = Journal()

        func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
            journal.note(urlRequest.url?.path ?? "none")
            var request = urlRequest
            request.setValue("yes", forHTTPHeaderField: "X-Adapted")
            return request
        }
    }

    private let manager = SessionManager()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func destination(_ name: String) throws -> DownloadRequest.DownloadFileDestination {
        let target = try folder.file(name)
        return { _, _ in (target, []) }
    }

    /// A download of which half has come when it is stopped.
    private func begun(_ origin: ScriptedOrigin) async throws -> DownloadRequest {
        let request = manager.download(origin.url("/file"), to: try destination("first"))
        #expect(await request.hasReceived(FileOrigin.half))
        return request
    }

    @Test(.proves("2.13c", "4.7a", "5.11c", "5.12a"))
    func `what was cancelled resumes where it ended, with the same file in the end`() async throws {
        let origin = try FileOrigin().origin
        let adapter = Adapter()
        manager.adapter = adapter
        let first = try await begun(origin)
        first.cancel()
        let cancelled = await first.serializingData().response
        #expect((cancelled.error as? SessionError)?.code == .cancelled)
        let resumeData = try #require(cancelled.resumeData)
        #expect(first.resumeData == resumeData && first.delegate.data == resumeData)
        #expect(cancelled.destinationURL == nil && folder.names == [])

        manager.startRequestsImmediately = false
        let resumed = manager.download(resumingWith: resumeData, to: try destination("second"))
        let counts = Lock<[Int64]>([])
        let queue = DispatchQueue(label: "progress")
        resumed.downloadProgress(queue: queue) { progress in counts.withLock { $0.append(progress.completedUnitCount) }
        }
        resumed.resume()
        let response = await resumed.serializingData().response
        queue.sync {}
        #expect(response.error == nil && response.response?.statusCode == 206)
        #expect(response.value.map(Array.init) == FileOrigin.content)
        let seen = counts.withLock { $0 }
        #expect(
            seen.first ?? 0 >= FileOrigin.half && seen == seen.sorted() && seen.last == Int64(FileOrigin.content.count))
        #expect(resumed.progress.fractionCompleted == 1)
        #expect(adapter.journal.entries == ["/file"])
        #expect(origin.requests.map { $0.value(of: "X-Adapted") } == ["yes", nil])
    }

    @Test(.proves("4.7b")) func `a download that is not to be resumed leaves no resume data`() async throws {
        let origin = try FileOrigin().origin
        let request = try await begun(origin)
        request.cancel(createResumeData: false)
        let response = await request.serializingData().response
        #expect((response.error as? SessionError)?.code == .cancelled && response.resumeData == nil)
    }

    @Test(.proves("5.8b", "5.11c")) func `a download that was cut off has resume data`() async throws {
        let origin = try FileOrigin(after: .close).origin
        let cut = await manager.download(origin.url("/file"), to: try destination("first")).serializingData().response
        #expect((cut.error as? SessionError)?.code == .networkConnectionLost)
        let resumed = manager.download(resumingWith: try #require(cut.resumeData), to: try destination("second"))
        #expect(await resumed.serializingData().result.value.map(Array.init) == FileOrigin.content)
    }

    @Test func `a retry resumes where the previous attempt was interrupted, and its handlers run once`() async throws {
        final class Once: RequestRetrier {
            func should(
                _ manager: SessionManager, retry request: Request, with error: any Error,
                completion: @escaping RequestRetryCompletion
            ) {
                completion(request.retryCount == 0, 0)
            }
        }
        let origin = try FileOrigin(after: .close).origin
        let adapter = Adapter()
        manager.adapter = adapter
        manager.retrier = Once()
        let journal = Journal()
        let request = manager.download(origin.url("/file"), to: try destination("first"))
            .response { journal.note("\($0.error == nil)") }
        #expect(await request.serializingData().result.value.map(Array.init) == FileOrigin.content)
        #expect(request.retryCount == 1 && journal.entries == ["true"])
        #expect(origin.requests.map { $0.value(of: "X-Adapted") } == ["yes", "yes"])
        #expect(origin.requests.map { $0.value(of: "Range") != nil } == [false, true])
    }

    @Test(.proves("4.2b")) func `handlers receive the error of invalid resume data`() async throws {
        let response = await manager.download(resumingWith: Data("x".utf8)).serializingData().response
        #expect(response.error is ResumeDataError && response.request == nil)
    }

    @Test func `cancelling the Swift task leaves resume data`() async throws {
        let origin = try FileOrigin().origin
        let request = try await begun(origin)
        let task = Task { await request.serializingData().response }
        task.cancel()
        #expect(await task.value.resumeData != nil)
        request.discard()
        manager.startRequestsImmediately = false
        let unstarted = manager.download(origin.url())
        let waiting = Task { await unstarted.serializingData().response }
        waiting.cancel()
        #expect((await waiting.value.error as? SessionError)?.code == .cancelled)
    }

    @Test func `releasing a manager ends its downloads, and leaves no resume data`() async throws {
        let origin = try FileOrigin().origin
        var manager: SessionManager? = SessionManager()
        let request = try #require(manager?.download(origin.url()))
        #expect(await request.hasReceived(FileOrigin.half))
        manager = nil
        let response = await request.serializingData().response
        #expect((response.error as? SessionError)?.code == .cancelled && response.resumeData == nil)
    }
}
