// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// What a session repeats that has chosen to have posts repeated.
@Suite(.timeLimit(.minutes(5))) struct RepeatedPostTests {
    private static var repeating: RetryPolicy {
        var policy = RetryPolicy.lostConnections
        policy.repeatsLostPosts = true
        return policy
    }

    @Test(arguments: [OriginStep.close, .reset], [false, true])
    func `a session may choose to have any lost request repeated`(end: OriginStep, isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        // Every other request meets a close.
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, request in
            request.index == 0 ? [.ok(request.target + request.bodyText)] : [end]
        }
        let session = try Session.trusting(authority, connections: 4) { $0.retryPolicy = Self.repeating }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for index in 0..<50 {
                        let path = "/\(worker).\(index)"
                        let method = ["POST", "PATCH", "LOCK"][index % 3]
                        let request = try URLRequest(origin, path, method: method, body: Data("content".utf8))
                        #expect(try await session.text(request) == path + "content")
                    }
                }
            }
            try await group.waitForAll()
        }
        let counts = Dictionary(grouping: origin.requests, by: \.target).mapValues(\.count)
        #expect(counts.count == 200 && counts.values.allSatisfy { $0 <= 2 })
        #expect(counts.values.contains(2))
    }

    @Test func `it is repeated once, and the error says that it may have been processed`() async throws {
        let origin = try ScriptedOrigin { connection, request in
            connection == 1 && request.index == 0 ? [.ok()] : [.close]
        }
        let session = Session.limited { $0.retryPolicy = Self.repeating }
        _ = try await session.data(for: URLRequest(origin))
        let error = await session.failure(of: try URLRequest(origin, "/pay", method: "POST", body: Data("x".utf8)))
        #expect(error?.reason.isConnectionLoss == true)
        #expect(error?.wasSent == true && error?.isSafeToRepeat == false)
        #expect(origin.requests.map(\.target) == ["/", "/pay", "/pay"])
        // A new connection that is lost explains nothing.
        _ = await session.failure(of: try URLRequest(origin, "/new", method: "POST", body: Data("x".utf8)))
        #expect(origin.requests.filter { $0.target == "/new" }.count == 1)
    }

    @Test func `a repeat that finds no server leaves a request that was sent`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: authority.issue(), onAccept: { $0 == 1 ? [] : [.close] }) { _, request in
            request.index == 0 ? [.ok()] : [.close]
        }
        let session = try Session.trusting(authority) { $0.retryPolicy = Self.repeating }
        _ = try await session.data(for: URLRequest(origin))
        let error = await session.failure(of: try URLRequest(origin, "/pay", method: "POST", body: Data("x".utf8)))
        // The repeat itself was not sent.
        #expect(error?.phase == .tls)
        #expect(error?.wasSent == true && error?.isSafeToRepeat == false)
    }

    @Test func `content that can be read once is sent once`() async throws {
        let origin = try ScriptedOrigin { _, request in request.index == 0 ? [.ok()] : [.close] }
        let session = Session.limited { $0.retryPolicy = Self.repeating }
        _ = try await session.data(for: URLRequest(origin))
        var request = try URLRequest(origin, "/pay", method: "POST")
        let (content, source) = AsyncStream<Data>.makeStream()
        source.yield(Data("x".utf8))
        source.finish()
        request.body = .sequence(content)
        #expect(await session.failure(of: request)?.reason.isConnectionLoss == true)
        #expect(origin.requests.filter { $0.target == "/pay" }.count == 1)
    }

    @Test(arguments: [false, true])
    func `no other policy repeats it, nor one that repeats nothing`(isNever: Bool) async throws {
        let origin = try ScriptedOrigin { _, request in request.index == 0 ? [.ok()] : [.close] }
        let session = Session.limited()
        _ = try await session.data(for: URLRequest(origin))
        var request = try URLRequest(origin, "/pay", method: "POST", body: Data("x".utf8))
        if isNever {
            request.retryPolicy = .never
            request.retryPolicy?.repeatsLostPosts = true
        }
        #expect(await session.failure(of: request)?.reason.isConnectionLoss == true)
        #expect(origin.requests.filter { $0.target == "/pay" }.count == 1)
    }
}
