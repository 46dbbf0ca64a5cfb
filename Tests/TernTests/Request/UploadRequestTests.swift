// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern

@Suite struct UploadRequestTests {
    private let manager = SessionManager()

    /// Returns the collected events.
    private func echo() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in [.ok("\(request.method) \(request.body.count)")] }
    }

    private func temporaryFile(_ data: Data) throws -> URL {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try data.write(to: url)
        return url
    }

    @Test(.proves("2.14a", "4.1c"))
    func `data, a file and a stream are sent, by POST unless another method is asked for`() async throws {
        let origin = try echo()
        let data = Data(repeating: 7, count: 100_000)
        let file = try temporaryFile(data)
        defer { try? FileManager.default.removeItem(at: file) }
        let put = try URLRequest(url: origin.url(), method: .put)
        #expect(await manager.upload(data, to: origin.url()).serializingString().result.value == "POST 100000")
        #expect(await manager.upload(data, with: put).serializingString().result.value == "PUT 100000")
        #expect(await manager.upload(file, to: origin.url()).serializingString().result.value == "POST 100000")
        #expect(await manager.upload(file, with: put).serializingString().result.value == "PUT 100000")
        let stream = manager.upload(InputStream(data: data), to: origin.url(), method: .patch)
        #expect(await stream.serializingString().result.value == "PATCH 100000")
        #expect(
            await manager.upload(InputStream(data: data), with: put).serializingString().result.value == "PUT 100000")
    }

    private struct Getting: RequestAdapter {
        func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
            var request = urlRequest
            request.httpMethod = "GET"
            return request
        }
    }

    @Test(.proves("2.14a")) func `an upload goes by GET where that is asked for, be it by an adapter`() async throws {
        let origin = try echo()
        let data = Data(repeating: 7, count: 9)
        let file = try temporaryFile(data)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(await manager.upload(data, to: origin.url(), method: .get).serializingString().result.value == "GET 9")
        let unnamed = URLRequest(url: try origin.url().asURL())
        #expect(await manager.upload(data, with: unnamed).serializingString().result.value == "POST 9")
        manager.adapter = Getting()
        #expect(await manager.upload(data, to: origin.url()).serializingString().result.value == "GET 9")
        #expect(await manager.upload(file, to: origin.url()).serializingString().result.value == "GET 9")
        let stream = manager.upload(InputStream(data: data), to: origin.url())
        #expect(await stream.serializingString().result.value == "GET 9")
    }

    @Test func `a stream is as long as its Content-Length says, or goes in chunks`() async throws {
        let origin = try ScriptedOrigin { _, request in
            [
                .ok(
                    "\(request.value(of: "Content-Length") ?? request.value(of: "Transfer-Encoding") ?? "") \(request.body.count)"
                )
            ]
        }
        func answer(_ length: String?) async -> DataResponse<String> {
            await manager.upload(
                InputStream(data: Data(count: 9)), to: origin.url(), headers: length.map { ["Content-Length": $0] }
            ).serializingString().response
        }
        #expect(await answer(nil).value == "chunked 9")
        #expect(await answer("9").value == "9 9")
        guard case .request(.body(.tooShort(missing: 1)))? = (await answer("10").error as? SessionError)?.reason
        else {
            Issue.record("a stream that is too short")
            return
        }
        for length in ["nine", "-1", "+9"] {
            guard case .request(.invalid)? = (await answer(length).error as? SessionError)?.reason else {
                Issue.record("\(length)")
                return
            }
        }
    }

    @Test(.proves("2.14b", "4.2b")) func `handlers receive the error of what cannot be sent`() async throws {
        let missing = URL(fileURLWithPath: "/nowhere/at/all")
        let error = await manager.upload(missing, to: try echo().url()).serializingString().response.error
        #expect(error is SessionError)
        let none = manager.upload(Data(), to: "not a url")
        #expect(none.task == nil)
        #expect((await none.serializingString().response.error as? AFError)?.isInvalidURLError == true)
        let stream = manager.upload(InputStream(data: Data()), to: "not a url")
        #expect((await stream.serializingString().response.error as? AFError)?.isInvalidURLError == true)
    }

    @Test(.proves("4.12a", "5.9b", "5.10d", "5.13b"))
    func `progress of both directions is reported on its queue, rises, and ends at the whole`() async throws {
        let size = 4_000_000
        let origin = try ScriptedOrigin { _, request in [.ok(String(repeating: "x", count: request.body.count / 2))] }
        let queue = DispatchQueue(label: "progress")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let sent = Lock<[Double]>([])
        let received = Lock<[Double]>([])
        let manager = SessionManager()
        // Not before its closures are there.
        manager.startRequestsImmediately = false
        let request = manager.upload(Data(count: size), to: origin.url())
            .uploadProgress(queue: queue) { progress in
                #expect(DispatchQueue.getSpecific(key: key) == true)
                sent.withLock { $0.append(progress.fractionCompleted) }
            }
            .downloadProgress { progress in received.withLock { $0.append(progress.fractionCompleted) } }
        request.resume()
        let response = await request.serializingData().response
        #expect(response.value?.count == size / 2)
        queue.sync {}
        for values in [sent.withLock { $0 }, received.withLock { $0 }] {
            #expect(values == values.sorted())
            #expect(values.last == 1)
        }
        #expect(request.uploadProgress.totalUnitCount == Int64(size))
        #expect(request.progress.completedUnitCount == Int64(size / 2))
        #expect(request.delegate.countOfBytesReceived == Int64(size / 2))
    }

    @Test func `the progress of a file's upload knows the total from its beginning`() async throws {
        let origin = try echo()
        let size = 300_000
        let file = FileManager.default.temporaryDirectory.appending(path: "tern-\(UUID())")
        try Data(count: size).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let totals = Lock<Set<Int64>>([])
        let manager = SessionManager()
        manager.startRequestsImmediately = false
        let request = manager.upload(file, to: origin.url())
            .uploadProgress { progress in totals.withLock { _ = $0.insert(progress.totalUnitCount) } }
        #expect(request.uploadProgress.totalUnitCount == Int64(size))
        request.resume()
        #expect(await request.serializingString().result.value == "POST \(size)")
        #expect(request.task?.countOfBytesExpectedToSend == Int64(size))
        #expect(totals.withLock { $0 }.subtracting([Int64(size)]).isEmpty)
        #expect(request.uploadProgress.fractionCompleted == 1)
    }

    @Test(.proves("3.5d", "5.13a")) func `the closure for what was sent takes the place of progress`() async throws {
        let origin = try echo()
        let journal = Journal()
        manager.delegate.taskDidSendBodyData = { _, _, count, total, expected in
            journal.note("\(count) \(total) \(expected)")
        }
        let request = manager.upload(Data(count: 10), to: origin.url()).uploadProgress { _ in journal.note("progress") }
        #expect(await request.serializingString().result.value == "POST 10")
        #expect(journal.entries == ["10 10 10"])
    }

    @Test(.proves("1.10b", "4.4d")) func `the holder of the progress can cancel and pause the request`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let request = manager.request(origin.url())
        #expect(request.progress.isCancellable)
        #expect(request.progress.isPausable)
        request.progress.pause()
        #expect(await comes(to: .suspended, request))
        request.progress.resume()
        #expect(await comes(to: .running, request))
        request.progress.cancel()
        let error = await request.serializingData().response.error as? SessionError
        guard case .cancelled? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    /// Foundation calls the handlers of a `Progress` on a queue of its own.
    private func comes(to state: SessionTask.State, _ request: Request) async -> Bool {
        let end = ContinuousClock.now + .seconds(5)
        while request.task?.state != state, ContinuousClock.now < end { await Task.yield() }
        return request.task?.state == state
    }

    @Test(.proves("2.14c", "4.3b", "5.7a")) func `a stream is sent again only if a closure brings another`()
        async throws
    {
        final class Always: RequestRetrier {
            func should(
                _ manager: SessionManager, retry request: Request, with error: any Error,
                completion: @escaping RequestRetryCompletion
            ) {
                completion(request.retryCount == 0, 0)
            }
        }
        let left = Lock(2)
        let origin = try ScriptedOrigin { _, request in
            let fails = left.withLock {
                $0 -= 1
                return $0 >= 0
            }
            return fails ? [.respond(status: 503)] : [.ok("\(request.body.count)")]
        }
        manager.retrier = Always()
        let alone = manager.begin { $0.upload(InputStream(data: Data(count: 9)), to: origin.url()).validate() }
        let error = await alone.serializingString().response.error
        guard case .alreadyUsed? = error as? RequestBodyError else {
            Issue.record("\(String(describing: error))")
            return
        }
        let request = manager.begin { manager -> UploadRequest in
            let request = manager.upload(InputStream(data: Data(count: 9)), to: origin.url()).validate()
            request.delegate.taskNeedNewBodyStream = { _, _ in InputStream(data: Data(count: 9)) }
            return request
        }
        #expect(await request.serializingString().result.value == "9")
        #expect(request.retryCount == 1)
    }

    @Test(.proves("3.5c")) func `the closure with a completion handler brings a stream before the plain one does`()
        async throws
    {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/from"
                ? [.respond(status: 307, fields: [("Location", "/to")])] : [.ok("\(request.body.count)")]
        }
        manager.delegate.taskNeedNewBodyStream = { _, _ in InputStream(data: Data(count: 5)) }
        manager.delegate.taskNeedNewBodyStreamWithCompletion = { _, _, completion in
            DispatchQueue.global().async { completion(InputStream(data: Data(count: 6))) }
        }
        let request = manager.upload(InputStream(data: Data(count: 9)), to: origin.url("/from"))
        #expect(await request.serializingString().result.value == "6")
    }

    @Test(.proves("3.5c")) func `a redirect that wants a stream again asks for another`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/from"
                ? [.respond(status: 307, fields: [("Location", "/to")])] : [.ok("\(request.body.count)")]
        }
        let manager = SessionManager()
        manager.delegate.taskNeedNewBodyStream = { _, _ in InputStream(data: Data(count: 5)) }
        let request = manager.upload(InputStream(data: Data(count: 9)), to: origin.url("/from"))
        #expect(await request.serializingString().result.value == "5")
    }
}
