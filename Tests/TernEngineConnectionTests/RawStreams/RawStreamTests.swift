// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
@testable import TernIO

@Suite(.timeLimit(.minutes(5))) struct RawStreamTests {
    private final class Deaf: ReadinessHandler {
        func ready(_ readiness: Readiness) {}
    }

    private final class Idle: StreamAssistant {
        func open(_ completion: @escaping (Result<Handover, StreamFailure>) -> Void) {}
        func secure(
            _ handover: Handover, with server: HTTPOrigin,
            _ completion: @escaping (Result<Handover, StreamFailure>) -> Void
        ) {}
        func cancel() {}
    }

    /// Runs `work` on the loop's thread, in a tick of its own, and returns when it has.
    private func run<Result: Sendable>(on loop: ReactorLoop, _ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            loop.execute { continuation.resume(returning: work()) }
        }
    }

    @Test(arguments: [false, true])
    func `the loop sleeps while a peer that takes no answers has more to say`(owes: Bool) async throws {
        let ends = try SecuredEnds()
        try ends.blockSending()
        for _ in 0..<10_000 where owes && !ends.transport.owesTooMuch { try ends.receiveKeyUpdate() }
        let reactor = try Reactor()
        let loop = reactor.loop
        let stream = RawStream(loop: loop, assistant: Idle())
        let token = try await run(on: loop) {
            Result { try loop.register(ends.descriptor, interest: [], handler: Deaf()) }
        }.get()
        let metrics = ConnectionMetrics(
            remoteAddress: try #require(TransportAddress(literal: "127.0.0.1", port: 1)), localAddress: nil, tls: nil,
            trust: nil, start: .now, resolved: .now, connected: .now, secured: nil)
        try ends.sendFromServer(Array("more".utf8))
        let reading = Task {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Data, any Error>) in
                loop.execute {
                    stream.attach(Handover(transport: ends.transport, token: token, metrics: metrics))
                    stream.read(least: 1, most: 100, limit: owes ? .milliseconds(500) : nil) { result in
                        continuation.resume(with: result.map(\.bytes))
                    }
                }
            }
        }
        let before = await run(on: loop) { loop.tick }
        let end = await reading.result
        let after = await run(on: loop) { loop.tick }
        if owes {
            // The time limit of the read has woken the loop.
            #expect(throws: StreamFailure.self) { try end.get() }
        } else {
            #expect(try end.get() == Data("more".utf8))
        }
        #expect(after - before < 100)
        await run(on: loop) {
            stream.end(StreamFailure(reason: .cancelled))
            withExtendedLifetime(ends) {}
        }
    }
}
