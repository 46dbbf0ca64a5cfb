// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern

@Suite struct RequestTests {
    @Test(.proves("4.9a")) func `a name and a password make a header field`() {
        let header = Request.authorizationHeader(user: "user", password: "pass:word")
        #expect(header?.key == "Authorization")
        #expect(header?.value == "Basic dXNlcjpwYXNzOndvcmQ=")
    }

    @Test(.proves("5.1c"))
    func `operations on the delegate's queue wait for the end, and come after the handlers before them`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.hold, .ok("body")] }
        let manager = SessionManager()
        let journal = Journal()
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        let request = manager.request(origin.url()).response { _ in journal.note("handler") }
        request.delegate.queue.addOperation { journal.note("operation") }
        request.delegate.queue.addOperation { continuation.yield() }
        #expect(await origin.waitFor { $0.requestCount == 1 })
        #expect(journal.entries.isEmpty)
        try origin.release()
        _ = await ends.first { _ in true }
        #expect(journal.entries == ["handler", "operation"])
        #expect(request.delegate.queue === request.delegate.queue)
        let late = manager.request("not a url")
        late.delegate.queue.addOperation { continuation.yield() }
        _ = await ends.first { _ in true }
    }

    @Test(.proves("5.1c")) func `handlers and operations run in the order in which they were added`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        let manager = SessionManager()
        for number in 0..<50 {
            let journal = Journal()
            let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
            // One that has a task, and one that has none.
            var request: DataRequest? = manager.request(number % 2 == 0 ? origin.url() : "no url")
            request?.delegate.queue.addOperation { journal.note("first") }
            request?.response { _ in journal.note("second") }
            request?.delegate.queue.addOperation { journal.note("third") }
            request?.response { _ in
                journal.note("fourth")
                continuation.yield()
            }
            request = nil
            _ = await ends.first { _ in true }
            #expect(journal.entries.filter { $0 != "third" } == ["first", "second", "fourth"])
            #expect(journal.entries.contains("third"))
        }
    }

    @Test(.proves("5.3a")) func `a request that is never started is released, with its operations`() throws {
        let manager = SessionManager()
        manager.startRequestsImmediately = false
        var request: DataRequest? = manager.request("http://127.0.0.1:1/")
        request?.delegate.queue.addOperation {}
        request?.response { _ in }
        weak let delegate = request?.delegate
        request = nil
        #expect(delegate == nil)
    }

    @Test(.proves("3.16a", "4.2a", "5.5a", "5.10a")) func `the delegate knows what came of the request`() async throws {
        let origin = try ScriptedOrigin { _, request in request.target == "/never" ? [.hold] : [.ok("body")] }
        let request = SessionManager().request(origin.url("/never"))
        let manager = SessionManager()
        let other = manager.request(origin.url())
        _ = await other.serializingData().response
        #expect(other.delegate.data == Data("body".utf8))
        #expect(other.delegate.error == nil)
        #expect(other.delegate.metrics != nil)
        #expect(other.delegate.expectedContentLength == 4)
        let time = try #require(other.delegate.initialResponseTime)
        #expect(abs(time - Date.timeIntervalSinceReferenceDate) < 60)
        // The manager of the first has gone.
        #expect(await request.serializingData().response.error is SessionError)
        #expect(request.delegate.error is SessionError)
    }

    @Test(.proves("2.12d")) func `a request that was never started is not held, and starts when it is resumed`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        let manager = SessionManager()
        manager.startRequestsImmediately = false
        weak var dropped: DataRequest?
        do {
            let request = manager.request(origin.url())
            dropped = request
            let task = try #require(request.task)
            #expect(manager.delegate[task] === request)
        }
        #expect(dropped == nil)
        let request = manager.request(origin.url())
        request.resume()
        #expect(await request.serializingString().result.value == "body")
        #expect(manager.delegate.requests.isEmpty)
    }

    @Test(.proves("2.5a")) func `a manager of an existing session must have its delegate`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        let hub = SessionDelegate()
        let session = Session(configuration: .default, delegate: hub)
        #expect(SessionManager(session: session, delegate: SessionDelegate()) == nil)
        #expect(SessionManager(session: Session(), delegate: hub) == nil)
        let manager = try #require(SessionManager(session: session, delegate: hub))
        #expect(await manager.request(origin.url()).serializingString().result.value == "body")
    }
}

@Suite struct RequestDeferralTests {
    @Test func `work runs on the callback queue after the work before it, without the request`() async {
        let manager = SessionManager()
        manager.startRequestsImmediately = false
        let journal = Journal()
        let afterReports = manager.request("http://127.0.0.1:1/").afterReports
        afterReports { journal.note("first") }
        await withCheckedContinuation { continuation in afterReports { continuation.resume() } }
        #expect(journal.entries == ["first"])
    }
}
