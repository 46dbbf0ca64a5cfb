// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct MemoryQuotaTests {
    private static func exceeded(_ error: SessionError?) -> Int? {
        if case .transfer(.memoryQuotaExceeded(let limit)) = error?.reason { limit } else { nil }
    }

    private func bodies(_ count: Int, _ quota: MemoryQuota) -> [BodyAccumulator] {
        (0..<count).map { _ in BodyAccumulator(BodyLimits(size: 1000, quota: quota)) }
    }

    private func take(_ count: Int, _ body: inout BodyAccumulator) -> BodyAccumulator.Outcome {
        body.take([UInt8](repeating: 1, count: count).span)
    }

    @Test func `the bodies together are within the quota, and one that exceeds it returns all of its bytes`() {
        let quota = MemoryQuota(limit: 10)
        var bodies = bodies(3, quota)
        #expect(take(6, &bodies[0]) == .taken)
        #expect(take(4, &bodies[1]) == .taken)
        #expect(quota.used == 10)
        #expect(take(1, &bodies[1]) == .overflowed)
        #expect(take(1, &bodies[1]) == .ignored)
        #expect(quota.used == 6)
        guard case .memoryQuotaExceeded(limit: 10)? = bodies[1].failure else {
            Issue.record("\(String(describing: bodies[1].failure))")
            return
        }
        #expect(take(4, &bodies[2]) == .taken)
        #expect(bodies[0].failure == nil)
        #expect(bodies[2].takeAll().count == 4)
        #expect(quota.used == 6)
        bodies[0].handOver()
        #expect(quota.used == 0)
        #expect(bodies[0].takeAll().count == 6)
    }

    @Test func `a body that is given up returns its bytes, in place or not`() {
        let quota = MemoryQuota(limit: 1000)
        for isInPlace in [false, true] {
            var body = BodyAccumulator(BodyLimits(size: 1000, quota: quota))
            if isInPlace { _ = unsafe body.room(for: 500) }
            #expect(take(500, &body) == .taken)
            #expect(quota.used == 500)
            body = BodyAccumulator(limit: 0)
            #expect(quota.used == 0)
        }
    }

    @Test(arguments: [0, -1, .min]) func `a quota of nothing admits empty bodies`(limit: Int) async throws {
        let quota = MemoryQuota(limit: limit)
        let origin = try ScriptedOrigin { _, request in [.ok(request.target == "/empty" ? "" : "x")] }
        let session = Session.limited { $0.memoryQuota = quota }
        #expect(try await session.text(URLRequest(origin, "/empty")) == "")
        #expect(Self.exceeded(await session.failure(of: try URLRequest(origin))) == 0)
    }

    @Test func `a body that is announced larger than the quota is refused before it comes`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n"), .hold] }
        let session = Session.limited { $0.memoryQuota = MemoryQuota(limit: 100) }
        let error = await session.failure(of: try URLRequest(origin))
        #expect(Self.exceeded(error) == 100)
        #expect(error?.phase == .body)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `sixteen bodies over two sessions share one quota, and leave nothing of it`() async throws {
        let quota = MemoryQuota(limit: 4_000_000)
        let piece = "61a80\r\n" + String(repeating: "x", count: 400_000) + "\r\n"
        let origin = try ScriptedOrigin { _, request in
            request.target == "/whole"
                ? [.ok(String(repeating: "x", count: 4_000_000))]
                : [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + piece), .hold]
        }
        let sessions = [8, 8].map { connections in
            Session.limited(to: connections) { $0.memoryQuota = quota }
        }
        let request = try URLRequest(origin)
        let failures = await withTaskGroup(of: SessionError?.self) { group in
            for index in 0..<16 { group.addTask { await sessions[index % 2].failure(of: request) } }
            var failures: [SessionError?] = []
            // Ten times 400,000 bytes are within the quota; the others end.
            for await failure in group {
                failures.append(failure)
                #expect(quota.used <= quota.limit)
                if failures.count == 6 { group.cancelAll() }
            }
            return failures
        }
        #expect(failures.count == 16)
        #expect(failures.count { Self.exceeded($0) == 4_000_000 } >= 6)
        #expect(quota.used == 0)
        let (data, _) = try await sessions[0].data(for: URLRequest(origin, "/whole"))
        #expect(data.count == 4_000_000)
        // The caller's data do not count.
        #expect(quota.used == 0)
    }

    @Test func `a body counts decoded, and a completion handler's data do not count`() async throws {
        let quota = MemoryQuota(limit: 50_000)
        let origin = try ScriptedOrigin { _, request in
            let text = [UInt8](repeating: 0, count: request.target == "/small" ? 50_000 : 50_001)
            return [.respond(status: 200, fields: [("Content-Encoding", "gzip")], body: ZlibCoder.gzip(text))]
        }
        let session = Session.limited { $0.memoryQuota = quota }
        #expect(Self.exceeded(await session.failure(of: try URLRequest(origin))) == 50_000)
        let request = try URLRequest(origin, "/small")
        let used = await withCheckedContinuation { continuation in
            session.dataTask(with: request) { result in
                #expect((try? result.get().0.count) == 50_000)
                continuation.resume(returning: quota.used)
            }.resume()
        }
        #expect(used == 0)
    }
}
