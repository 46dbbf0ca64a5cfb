// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern

@Suite struct SessionManagerMultipartTests {
    private let manager = SessionManager()
    private let folder = TestFolder()

    private func echo() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in [.ok("\(request.method) \(request.body.count)")] }
    }

    private func encode(
        threshold: UInt64? = nil, to url: String, on queue: DispatchQueue? = nil,
        _ form: @escaping @Sendable (MultipartFormData) -> Void
    ) async -> SessionManager.MultipartFormDataEncodingResult {
        await withCheckedContinuation { continuation in
            manager.upload(
                multipartFormData: form,
                usingThreshold: threshold ?? SessionManager.multipartFormDataEncodingMemoryThreshold, to: url,
                queue: queue
            ) { continuation.resume(returning: $0) }
        }
    }

    @Test(.proves("2.15a")) func `a short form goes from memory, and is announced by its boundary`() async throws {
        let origin = try echo()
        let boundary = Lock("")
        let result = await encode(to: origin.url()) { form in
            boundary.withLock { $0 = form.boundary }
            form.append(Data("français".utf8), withName: "french")
        }
        guard case .success(let request, false, nil) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(await request.serializingString().result.value?.hasPrefix("POST ") == true)
        let received = try #require(origin.requests.first)
        let name = boundary.withLock { $0 }
        #expect(received.value(of: "Content-Type") == "multipart/form-data; boundary=\(name)")
        #expect(
            String(decoding: received.body, as: UTF8.self)
                == "--\(name)\r\nContent-Disposition: form-data; name=\"french\"\r\n\r\nfrançais\r\n--\(name)--\r\n")
    }

    @Test(.proves("2.15b")) func `a long form goes from a file, which is there until the request has ended`()
        async throws
    {
        let isOpen = DispatchSemaphore(value: 0)
        let origin = try ScriptedOrigin { _, request in [.ok("\(request.body.count)")] }
        manager.startRequestsImmediately = false
        let result = await encode(threshold: 0, to: origin.url()) { form in
            form.append(Data(count: 100_000), withName: "a")
        }
        guard case .success(let request, true, let file?) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(file.deletingLastPathComponent().lastPathComponent == "multipart.form.data")
        #expect(file.path.contains("/org.alamofire.manager"))
        let encoded = try Data(contentsOf: file)
        request.delegate.queue.addOperation { isOpen.signal() }
        request.resume()
        #expect(await request.serializingString().result.value == "\(encoded.count)")
        // After the operation that removes it.
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                isOpen.wait()
                continuation.resume()
            }
        }
        #expect(!FileManager.default.fileExists(atPath: file.path))
        #expect(origin.requests.first.map { Data($0.body) } == encoded)
    }

    @Test(.proves("2.15b")) func `the file of a request that is never started goes with it`() async throws {
        manager.startRequestsImmediately = false
        let file: URL? = await {
            let result = await encode(threshold: 0, to: "http://localhost/") { $0.append(Data(), withName: "a") }
            guard case .success(let request, true, let file?) = result else { return nil }
            #expect(FileManager.default.fileExists(atPath: file.path))
            withExtendedLifetime(request) {}
            return file
        }()
        let path = try #require(file?.path)
        let end = ContinuousClock.now + .seconds(10)
        while FileManager.default.fileExists(atPath: path), .now < end { await Task.yield() }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(.proves("2.15c")) func `an error arrives on the queue asked for, and nothing is left`() async throws {
        let queue = DispatchQueue(label: "encoding")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let missing = folder.url.appendingPathComponent("missing.png")
        let outcome = await withCheckedContinuation { continuation in
            manager.upload(
                multipartFormData: { $0.append(missing, withName: "a") }, to: "http://localhost/", queue: queue
            ) { result in
                continuation.resume(returning: (result, DispatchQueue.getSpecific(key: key)))
            }
        }
        guard case .failure(let error) = outcome.0 else {
            Issue.record("\(outcome.0)")
            return
        }
        #expect((error as? AFError)?.isMultipartEncodingError == true)
        #expect(outcome.1 == true)
        let noURL = await encode(to: "not a url") { _ in Issue.record("asked for a form that cannot be sent") }
        guard case .failure(let error) = noURL else {
            Issue.record("\(noURL)")
            return
        }
        #expect((error as? AFError)?.isInvalidURLError == true)
    }

    @Test func `a form is sent without being encoded first, and again by a retrier`() async throws {
        final class Once: RequestRetrier {
            func should(
                _ manager: SessionManager, retry request: Request, with error: any Error,
                completion: @escaping RequestRetryCompletion
            ) {
                completion(request.retryCount == 0, 0)
            }
        }
        let isFirst = Lock(true)
        let origin = try ScriptedOrigin { _, request in
            let fails = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return fails ? [.respond(status: 503)] : [.ok("\(request.body.count)")]
        }
        manager.retrier = Once()
        manager.startRequestsImmediately = false
        var form = MultipartForm()
        form.append("a text", name: "text")
        try form.append(file: folder.file("a.txt", String(repeating: "a", count: 200_000)).path, name: "file")
        let length = try #require(form.contentLength)
        let request = manager.begin { $0.upload(form, to: origin.url(), headers: ["X-A": "b"]).validate() }
        request.resume()
        #expect(await request.serializingString().result.value == "\(length)")
        #expect(request.uploadProgress.totalUnitCount == Int64(length))
        #expect(origin.requests.map(\.body.count) == [length, length])
        #expect(origin.requests.last?.value(of: "Content-Type") == form.contentType)
        #expect(origin.requests.last?.value(of: "X-A") == "b")
        let put = try URLRequest(url: origin.url(), method: .put)
        let other = manager.upload(form, with: put)
        other.resume()
        _ = await other.serializingString().result
        #expect(origin.requests.last?.method == "PUT")
    }
}
