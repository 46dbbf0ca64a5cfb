// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern

/// Notes the events of all tasks that are questions, answers and ends.
private final class NotingObserver: SessionObserver {
    let journal = Journal()

    func observe(_ observation: TaskObservation) {
        switch observation.event {
        case .redirect, .answered, .completed: journal.note(observation.event.name)
        case _: break
        }
    }
}

@Suite struct SessionManagerTests {
    private let manager = SessionManager()

    @Test(.proves("2.2a", "12.1a")) func `there is one default manager`() {
        #expect(SessionManager.default === SessionManager.default)
    }

    @Test func `observers of the configuration are told what all requests of a manager do`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/from" ? [.respond(status: 302, fields: [("Location", "/to")])] : [.ok("body")]
        }
        let observer = NotingObserver()
        var configuration = SessionConfiguration.default
        configuration.observers = [observer]
        let manager = SessionManager(configuration: configuration)
        #expect(try await manager.request(origin.url("/from")).serializingString().value == "body")
        #expect(observer.journal.entries == ["redirect", "answered", "answered", "completed"])
    }

    @Test(.proves("2.11a", "4.1a", "4.4g", "11.8a")) func `method, parameters and header fields reach the server`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let request = manager.request(
            origin.url("/form"), method: .post, parameters: ["a": 1, "b": "c d"], headers: ["X-Test": "yes"])
        #expect(request.session === manager.session)
        _ = try await request.serializingData().value
        let seen = try #require(origin.requests.first)
        #expect(seen.method == "POST")
        #expect(seen.target == "/form")
        #expect(seen.bodyText == "a=1&b=c%20d")
        #expect(seen.value(of: "X-Test") == "yes")
        #expect(seen.value(of: "Content-Type") == "application/x-www-form-urlencoded; charset=utf-8")
    }

    @Test(.proves("2.12a")) func `a request of one's own is sent as it is`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        var urlRequest = try URLRequest(url: origin.url(), method: HTTPMethod(rawValue: "PURGE"))
        urlRequest.headers.append("X", "1")
        urlRequest.headers.append("X", "2")
        _ = try await manager.request(urlRequest).serializingData().value
        #expect(origin.requests.first?.method == "PURGE")
        #expect(origin.requests.first?.values(of: "X") == ["1", "2"])
    }

    @Test(.proves("2.12c", "4.5b", "11.7a")) func `handlers receive the error of what cannot be made into a request`()
        async throws
    {
        struct Failing: URLRequestConvertible {
            struct Reason: Error {}

            func asURLRequest() throws -> URLRequest { throw Reason() }
        }
        let response = await manager.request(Failing()).serializingData().response
        #expect(response.error is Failing.Reason)
        #expect(response.request == nil)
    }

    @Test(.proves("2.7a", "2.7b", "4.5a", "4.5b", "12.4a")) func `requests that do not start at once wait for resume`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        #expect(manager.startRequestsImmediately)
        manager.startRequestsImmediately = false
        let (values, continuation) = AsyncStream.makeStream(of: String.self)
        let waiting = manager.request(origin.url("/waiting")).responseString { continuation.yield($0.value ?? "") }
        let failing = manager.request("no url").responseString { continuation.yield($0.error == nil ? "" : "failed") }
        manager.startRequestsImmediately = true
        _ = try await manager.request(origin.url("/first")).serializingData().value
        #expect(origin.requests.map(\.target) == ["/first"])
        var iterator = values.makeAsyncIterator()
        failing.resume()
        #expect(await iterator.next() == "failed")
        waiting.resume()
        #expect(await iterator.next() == "body")
    }

    @Test(.proves("2.6a", "11.9a"))
    func `releasing a manager ends its requests with an error, and closes its connections`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        var manager: SessionManager? = SessionManager()
        let (errors, continuation) = AsyncStream.makeStream(of: (any Error)?.self)
        let request = try #require(manager?.request(origin.url()).response { continuation.yield($0.error) })
        #expect(await origin.waitFor { $0.requestCount == 1 })
        manager = nil
        let error = try #require(await errors.first { _ in true })
        guard case .sessionInvalidated? = (error as? SessionError)?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(
            error?.localizedDescription
                == "the session is gone: keep it, or its manager, until its tasks have ended (\(origin.url("")))")
        #expect((error as? SessionError)?.code == .cancelled)
        #expect(await origin.waitFor { $0.openConnections == 0 })
        #expect(request.response == nil)
    }

    @Test(.proves("2.8b")) func `many requests at a time each get their own response`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok(request.target)] }
        let wrong = Lock(0)
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        for number in 0..<500 {
            manager.request(origin.url("/\(number)")).validate().responseString { response in
                if response.value != "/\(number)" { wrong.withLock { $0 += 1 } }
                continuation.yield()
            }
        }
        var left = 500
        for await _ in ends {
            left -= 1
            if left == 0 { break }
        }
        #expect(wrong.withLock { $0 } == 0)
    }

    @Test(arguments: [false, true])
    func `the task of a released manager is suspended if its request is`(isSuspendedBefore: Bool) async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        var manager: SessionManager? = SessionManager()
        let request = try #require(manager?.request(origin.url()))
        #expect(manager?.startRequestsImmediately == true)
        if isSuspendedBefore { request.suspend() }
        manager = nil
        if !isSuspendedBefore { request.suspend() }
        #expect(request.task?.state == .suspended)
        _ = await request.serializingData().response
        #expect(request.task?.state == .suspended)
    }
}

@Suite struct SessionManagerDefaultHeadersTests {
    @Test(.proves("2.3b")) func `the default manager says who it is`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        _ = try await Tern.request(origin.url()).serializingData().value
        let seen = try #require(origin.requests.first)
        #expect(seen.value(of: "User-Agent") == SessionManager.defaultHTTPHeaders["User-Agent"])
        #expect(seen.value(of: "Accept-Language") == SessionManager.defaultHTTPHeaders["Accept-Language"])
        #expect(seen.value(of: "Accept") == "*/*")
        var codings = ["gzip", "deflate"]
        #if Brotli
            codings.append("br")
        #endif
        #if Zstd
            codings.append("zstd")
        #endif
        #expect(seen.value(of: "Accept-Encoding") == codings.joined(separator: ", "))
    }

    @Test(.proves("2.3a")) func `six languages at most, each a tenth less wanted than the one before`() {
        #expect(SessionManager.acceptLanguage(["de-DE"]) == "de-DE;q=1.0")
        #expect(
            SessionManager.acceptLanguage(["a", "b", "c", "d", "e", "f", "g"])
                == "a;q=1.0, b;q=0.9, c;q=0.8, d;q=0.7, e;q=0.6, f;q=0.5")
        #expect(SessionManager.acceptLanguage([]) == nil)
    }

    @Test(.proves("2.3c")) func `a process name becomes a token`() {
        #expect(SessionManager.userAgent(processName: "my-tool") == "my-tool (Linux) Tern")
        #expect(SessionManager.userAgent(processName: "mein töpfer\r\nX: y") == "mein-t-pfer-X--y (Linux) Tern")
        #expect(SessionManager.userAgent(processName: "") == "Tern")
    }
}
