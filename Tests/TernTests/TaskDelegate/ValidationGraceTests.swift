// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern

/// Requests start when they are made, and as a rule are complete before the statement that makes them ends.
@Suite struct ValidationGraceTests {
    private struct Reason: Error {}

    private final class Counter: RequestRetrier, Sendable {
        let count = Lock(0)

        func should(
            _ manager: SessionManager, retry request: Request, with error: any Error,
            completion: @escaping RequestRetryCompletion
        ) {
            count.withLock { $0 += 1 }
            completion(false, 0)
        }
    }

    /// In seconds: no test waits for its end, unless another suite observes notifications, which makes the hub hold
    /// requests to their end.
    private static let long = 10.0

    private let start = ContinuousClock.now

    private func expectNoWait() {
        if !TaskNotifications.isWatched { #expect(ContinuousClock.now - start < .seconds(Self.long)) }
    }

    private let manager: SessionManager
    private let origin: ScriptedOrigin
    private let errors: AsyncStream<(any Error)?>
    private let continuation: AsyncStream<(any Error)?>.Continuation

    init() throws {
        var configuration = SessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 1
        manager = SessionManager(configuration: configuration)
        origin = try ScriptedOrigin { _, _ in [.respond(status: 403, body: "no")] }
        (errors, continuation) = AsyncStream.makeStream()
    }

    private func setGrace(_ seconds: TimeInterval) { manager.context.validationGrace.withLock { $0 = seconds } }

    private func request() -> DataRequest {
        manager.request(origin.url()).response { [continuation] in continuation.yield($0.error) }
    }

    private var error: (any Error)?? {
        get async { await errors.first { _ in true } }
    }

    /// All requests made before have their responses: there is one connection, and one queue for what comes of them.
    private func waitForResponses() async {
        _ = await manager.request(origin.url()).serializingData().response
        await withCheckedContinuation { continuation in
            manager.context.callbacks.post(CallbackBlock { continuation.resume() })
        }
    }

    @Test func `a validation after the handler counts although the response came first`() async throws {
        setGrace(Self.long)
        var request: DataRequest? = self.request()
        await waitForResponses()
        request = request?.validate { _, _, _ in .success }
        await waitForResponses()
        request = request?.validate()
        withExtendedLifetime(request) {}
        request = nil
        #expect((try #require(await error) as? AFError)?.responseCode == 403)
    }

    @Test func `the retrier is asked about a validation after the handler`() async throws {
        setGrace(Self.long)
        let counter = Counter()
        manager.retrier = counter
        let request = request()
        await waitForResponses()
        request.validate()
        setGrace(0)
        manager.context.callbacks.post(request.delegate)
        #expect((try #require(await error) as? AFError)?.responseCode == 403)
        #expect(counter.count.withLock { $0 } == 1)
    }

    @Test func `a manager with a retrier waits for no statement that has ended`() async throws {
        setGrace(Self.long)
        manager.retrier = Counter()
        _ = request()
        #expect(try #require(await error) == nil)
        expectNoWait()
    }

    @Test func `the end of the statement ends the wait`() async throws {
        setGrace(Self.long)
        _ = request()
        #expect(try #require(await error) == nil)
        var kept: DataRequest? = request()
        await waitForResponses()
        withExtendedLifetime(kept) {}
        kept = nil
        #expect(try #require(await error) == nil)
        expectNoWait()
    }

    @Test func `a request that is kept waits no longer than the grace`() async throws {
        setGrace(0.05)
        let kept = request()
        #expect(try #require(await error) == nil)
        withExtendedLifetime(kept) {}
    }

    @Test func `a request that is validated before its handler waits for no other validation`() async throws {
        setGrace(Self.long)
        let kept = manager.request(origin.url()).validate().response { [continuation] in continuation.yield($0.error) }
        #expect((try #require(await error) as? AFError)?.responseCode == 403)
        withExtendedLifetime(kept) {}
        expectNoWait()
    }

    @Test func `a task that awaits the request ends the wait`() async throws {
        setGrace(Self.long)
        let kept = request()
        await waitForResponses()
        #expect(await kept.serializingString().result.value == "no")
        #expect(try #require(await error) == nil)
        expectNoWait()
    }

    @Test func `a handler that is added after another has run waits for nothing`() async throws {
        setGrace(0)
        let kept = request()
        _ = await error
        setGrace(Self.long)
        kept.response { [continuation] _ in continuation.yield(Reason()) }
        #expect(try #require(await error) is Reason)
        withExtendedLifetime(kept) {}
        expectNoWait()
    }

    @Test func `a request without a response waits for nothing`() async throws {
        setGrace(Self.long)
        let gone = try ScriptedOrigin { _, _ in [.reset] }
        let kept = manager.request(gone.url(), method: .post).response { [continuation] in
            continuation.yield($0.error)
        }
        #expect(try #require(await error) is SessionError)
        withExtendedLifetime(kept) {}
        expectNoWait()
    }

    @Test(.proves("7.3c", "12.8a"), arguments: [false, true])
    func `a validation in the same statement counts, on either side of the handler`(comesFirst: Bool) async throws {
        let count = ProcessInfo.processInfo.environment["TERN_STATEMENTS"].flatMap(Int.init) ?? 1000
        let (manager, url, window) = (SessionManager(), origin.url(), DispatchSemaphore(value: 0))
        let journal = Journal()
        let handler: @Sendable (DefaultDataResponse) -> Void = { response in
            if (response.error as? AFError)?.responseCode != 403 { journal.note("missed") }
            window.signal()
        }
        await withCheckedContinuation { continuation in
            // A thread that is busy while responses come, as a program's own is.
            DispatchQueue.global().async {
                for number in 0..<count {
                    if number >= 4 { window.wait() }
                    if comesFirst {
                        manager.request(url).validate().response(completionHandler: handler)
                    } else {
                        manager.request(url).response(completionHandler: handler).validate()
                    }
                }
                for _ in 0..<4 { window.wait() }
                continuation.resume()
            }
        }
        #expect(journal.entries.isEmpty)
    }
}
