// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct RateLimitTests {
    private static func instant(_ milliseconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func `a bucket lets a burst through, then one token at a time, and fills again`() throws {
        var bucket = try #require(TokenBucket(perSecond: 10, burst: 3))
        let wait = { (now: MonotonicInstant) in
            let wait = max(.zero, now.duration(to: bucket.nextAt))
            bucket.spend(1, at: now)
            return wait
        }
        let waits = (0..<5).map { _ in wait(Self.instant(1000)) }
        #expect(waits == [.zero, .zero, .zero, .milliseconds(100), .milliseconds(200)])
        #expect(wait(Self.instant(1300)) == .zero)
        #expect(wait(Self.instant(1300)) == .milliseconds(100))
        #expect(wait(Self.instant(60_000)) == .zero)
    }

    @Test(arguments: [0, -1, -Double.infinity, .nan]) func `a rate that is not more than nothing limits nothing`(
        rate: Double
    ) {
        #expect(TokenBucket(perSecond: rate, burst: 1) == nil)
        #expect(Pace([], bytesPerSecond: [Int(exactly: rate), nil]) == nil)
    }

    @Test(arguments: [Double.leastNonzeroMagnitude, 1e-9, 1e300, .infinity], [1, .infinity, -.infinity, .nan, 1e300])
    func `no rate and no burst is too extreme`(rate: Double, burst: Double) throws {
        var bucket = try #require(TokenBucket(perSecond: rate, burst: burst))
        for now in [0, 1, Int64.max] {
            for _ in 0..<3 {
                bucket.spend(1, at: MonotonicInstant(nanoseconds: now))
                bucket.spend(.max, at: MonotonicInstant(nanoseconds: now))
            }
        }
        #expect(bucket.debt(at: MonotonicInstant(nanoseconds: .max)) >= 0)
    }

    @Test func `requests begin at the session's rate`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/moved" ? [.redirect(to: "/")] : [.ok()]
        }
        let session = Session.limited(to: 4) { $0.rateLimit = RateLimit(requestsPerSecond: 50) }
        let start = MonotonicInstant.now
        try await withThrowingTaskGroup { group in
            for path in ["/", "/", "/moved", "/"] {
                let request = try URLRequest(origin, path)
                group.addTask { _ = try await session.data(for: request) }
            }
            try await group.waitForAll()
        }
        // Five hops have four gaps of 20 ms.
        #expect(MonotonicInstant.now.seconds(since: start) >= 0.08)
        #expect(origin.observations.requestCount == 5)
    }

    @Test func `each host has a rate of its own`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited { $0.rateLimitPerHost = RateLimit(requestsPerSecond: 0.001) }
        _ = try await session.data(for: URLRequest(origin))
        var timeouts = Timeouts()
        timeouts.total = .milliseconds(50)
        let second = await session.failure(of: try URLRequest(origin).limited(to: timeouts))
        #expect(second?.reason.limit == .total)
        _ = try await session.data(for: URLRequest(origin, host: "localhost"))
        #expect(origin.observations.requestCount == 2)
    }

    @Test(arguments: [false, true]) func `content arrives and leaves at the request's rate`(isSecure: Bool) async throws
    {
        let authority = try CertificateAuthority()
        let body = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, _ in
            [.ok(String(repeating: "x", count: 50_000))]
        }
        let session = try Session.trusting(authority)
        // A pause is longer than the idle timeout, which does not run during it.
        var request = try URLRequest(origin)
        request.timeouts = Timeouts(idle: .milliseconds(400), total: nil)
        request.maximumBytesPerSecond = 200_000
        let start = MonotonicInstant.now
        #expect(try await session.data(for: request).0.count == 50_000)
        let afterDownload = MonotonicInstant.now
        // All but the last sixteenth of a second is waited for.
        #expect(afterDownload.seconds(since: start) >= 0.17)
        request.httpMethod = "POST"
        request.httpBody = body
        _ = try await session.data(for: request)
        #expect(MonotonicInstant.now.seconds(since: afterDownload) >= 0.34)
        #expect(origin.connectionCount == 1)
    }

    @Test func `connections share the session's rate of bytes`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok(String(repeating: "x", count: 10_000))] }
        let session = Session.limited(to: 8) { $0.rateLimit = RateLimit(bytesPerSecond: 400_000) }
        let request = try URLRequest(origin)
        let start = MonotonicInstant.now
        try await withThrowingTaskGroup { group in
            for _ in 0..<16 { group.addTask { _ = try await session.data(for: request) } }
            try await group.waitForAll()
        }
        // All but what each connection may send at once.
        #expect(MonotonicInstant.now.seconds(since: start) >= 0.25)
    }

    @Test func `small exchanges do not slip through the rate of bytes`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok(String(repeating: "x", count: 400))] }
        let session = Session.limited { $0.rateLimit = RateLimit(bytesPerSecond: 50_000) }
        let start = MonotonicInstant.now
        for _ in 0..<20 { _ = try await session.data(for: URLRequest(origin)) }
        #expect(MonotonicInstant.now.seconds(since: start) >= 0.15)
        #expect(origin.connectionCount == 1)
    }

    @Test func `a request that is held back can be cancelled, and its timeout runs`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok(String(repeating: "x", count: 100_000))] }
        let session = Session.limited()
        var request = try URLRequest(origin)
        request.maximumBytesPerSecond = 1
        request.timeouts = Timeouts(total: .milliseconds(100))
        #expect(await session.failure(of: request)?.reason.limit == .total)
        request.timeouts = Timeouts(total: nil)
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: request, delegate: delegate)
        task.resume()
        #expect(await origin.waitFor { $0.requestCount == 2 })
        task.cancel()
        #expect(await delegate.end().error?.reason.isCancellation == true)
    }
}
