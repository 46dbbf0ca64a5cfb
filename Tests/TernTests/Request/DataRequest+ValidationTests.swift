// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import TestProofs
import Testing
import TernLock

@Suite struct DataRequestValidationTests {
    private struct Reason: Error, Equatable {
        let number: Int
    }

    private let manager = SessionManager()

    private func error(
        status: Int = 200, contentType: String? = nil, body: String = "body", accept: String? = nil,
        _ validate: (DataRequest) -> DataRequest
    ) async throws -> AFError? {
        let fields = contentType.map { [(name: "Content-Type", value: $0)] } ?? []
        let origin = try ScriptedOrigin { _, _ in [.respond(status: status, fields: fields, body: body)] }
        let request = manager.request(origin.url(), headers: accept.map { ["Accept": $0] })
        return await validate(request).serializingData().response.error as? AFError
    }

    @Test(
        .proves("7.6a"),
        arguments: [(199 + 1, true), (204, true), (299, true), (300, false), (404, false), (500, false)])
    func `plain validation takes 200 to 299`(status: Int, passes: Bool) async throws {
        let body = status == 204 ? "" : "body"
        let error = try await error(status: status, body: body) { $0.validate() }
        #expect(error?.responseCode == (passes ? nil : status))
    }

    @Test func `without validation any status is a success`() async throws {
        #expect(try await error(status: 500) { $0 } == nil)
    }

    @Test(.proves("7.4a")) func `any sequence of status codes will do`() async throws {
        #expect(try await error(status: 404) { $0.validate(statusCode: [200, 404]) } == nil)
        #expect(try await error(status: 200) { $0.validate(statusCode: Set([404])) }?.responseCode == 200)
        #expect(try await error(status: 200) { $0.validate(statusCode: [Int]()) }?.responseCode == 200)
    }

    @Test(.proves("7.5a"), arguments: ["text/html", "text/*", "*/html", "*/*", "TEXT/HTML; q=0.1"])
    func `a type is acceptable if a range matches it`(range: String) async throws {
        let error = try await error(contentType: "text/html; charset=utf-8") {
            $0.validate(contentType: ["image/png", range])
        }
        #expect(error == nil)
    }

    @Test(.proves("7.5b")) func `a type is not acceptable if none does`() async throws {
        let error = try await error(contentType: "text/html") { $0.validate(contentType: ["image/*", "text/plain"]) }
        #expect(error?.responseContentType == "text/html")
        #expect(error?.acceptableContentTypes == ["image/*", "text/plain"])
    }

    @Test(.proves("7.5c")) func `an empty body is of any type`() async throws {
        #expect(try await error(contentType: "text/html", body: "") { $0.validate(contentType: ["image/*"]) } == nil)
    }

    @Test(.proves("7.5d"), arguments: [nil, "nonsense"])
    func `a body of no type passes only where everything does`(contentType: String?) async throws {
        let error = try await error(contentType: contentType) { $0.validate(contentType: ["text/html"]) }
        guard case .responseValidationFailed(.missingContentType(["text/html"])) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await self.error(contentType: contentType) { $0.validate(contentType: ["*/*"]) } == nil)
        let half = try await self.error(contentType: contentType) { $0.validate(contentType: ["*/html"]) }
        #expect(half?.isResponseValidationError == true)
    }

    @Test(.proves("7.6b")) func `plain validation takes the types the request asked for`() async throws {
        let accept = "application/json;q=0.9, text/*"
        #expect(try await error(contentType: "text/html", accept: accept) { $0.validate() } == nil)
        #expect(try await error(contentType: "application/json", accept: accept) { $0.validate() } == nil)
        let error = try await error(contentType: "image/png", accept: accept) { $0.validate() }
        #expect(error?.responseContentType == "image/png")
    }

    @Test(.proves("7.3a")) func `validations run in order, once, until one fails`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        let seen = Lock<[Int]>([])
        let request = manager.request(origin.url())
        for number in 1...3 {
            request.validate { _, response, data in
                seen.withLock { $0.append(number) }
                #expect(response.statusCode == 200)
                #expect(data == Data("body".utf8))
                return number == 2 ? .failure(Reason(number: number)) : .success
            }
        }
        #expect((await request.serializingData().response.error as? Reason)?.number == 2)
        #expect((await request.serializingString().response.error as? Reason)?.number == 2)
        #expect(seen.withLock { $0 } == [1, 2])
    }

    @Test(.proves("7.3c", "12.8a")) func `the position of validation in the chain does not matter`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 404)] }
        let (errors, continuation) = AsyncStream.makeStream(of: (any Error)?.self)
        var iterator = errors.makeAsyncIterator()
        manager.begin { $0.request(origin.url()).response { continuation.yield($0.error) }.validate() }
        #expect((try #require(await iterator.next()) as? AFError)?.responseCode == 404)
        manager.begin { $0.request(origin.url()).validate().response { continuation.yield($0.error) } }
        #expect((try #require(await iterator.next()) as? AFError)?.responseCode == 404)
    }

    @Test func `a handler of a request that the caller keeps waits for no validation`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(status: 404)] }
        var configuration = SessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 1
        let manager = SessionManager(configuration: configuration)
        let hasRun = Lock(false)
        let kept = manager.request(origin.url()).response { _ in hasRun.withLock { $0 = true } }
        // The next request ends after this one, on the same connection; what is posted then runs after the handler.
        _ = await manager.request(origin.url()).serializingData().response
        await withCheckedContinuation { continuation in kept.afterReports { continuation.resume() } }
        #expect(hasRun.withLock { $0 })
        kept.validate { _, _, _ in .failure(Reason(number: 1)) }
        #expect(await kept.serializingData().response.error == nil)
    }

    @Test(.proves("7.3b")) func `nothing is validated where no response came`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.reset] }
        let ran = Lock(false)
        let request = manager.request(origin.url(), method: .post).validate { _, _, _ in
            ran.withLock { $0 = true }
            return .success
        }
        #expect(await request.serializingData().response.error is SessionError)
        #expect(ran.withLock { $0 } == false)
    }

    @Test(.proves("3.13a", "7.3b")) func `what the transport found wrong goes before what validation would`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\nhalf"), .close]
        }
        let error = await manager.request(origin.url(), method: .post).validate().serializingData().response.error
        #expect(error is SessionError)
    }

    @Test
    func `a validation may come after the end, as long as no handler has run, also if a closure receives the end`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        let manager = SessionManager()
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        manager.delegate.taskDidComplete = { _, _, _ in continuation.yield() }
        let request = manager.request(origin.url())
        _ = await ends.first { _ in true }
        request.validate { _, _, _ in .failure(Reason(number: 7)) }
        #expect(await request.serializingData().response.error as? Reason == Reason(number: 7))
    }

    @Test func `a validation that comes after the handlers have run says nothing`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        let request = manager.request(origin.url())
        _ = await request.serializingData().response
        request.validate { _, _, _ in .failure(Reason(number: 1)) }
        #expect(try await request.serializingString().value == "body")
    }
}
