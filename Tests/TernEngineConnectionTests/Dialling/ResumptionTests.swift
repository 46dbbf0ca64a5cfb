// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Sessions of one connection that later ones resume, whatever became of the first.
@Suite(.timeLimit(.minutes(1))) struct ResumptionTests {
    private let authority: CertificateAuthority
    private let leaf: Identity

    init() throws {
        authority = try CertificateAuthority()
        leaf = try authority.issue()
    }

    private static let versions: [ScriptedOrigin.TLSOptions] = [.only(.tls12), .only(.tls13)]

    @Test(arguments: versions)
    func `a truncated response fails, and its session is resumed all the same`(
        options: ScriptedOrigin.TLSOptions
    ) async throws {
        let origin = try ScriptedOrigin(tls: leaf, tlsOptions: options) { connection, _ in
            connection == 2 ? [.send("HTTP/1.1 200 OK\r\n\r\nhalf"), .closeAbruptly] : [.ok("well"), .close]
        }
        let session = try Session.trusting(authority)
        #expect(try await session.text(URLRequest(origin)) == "well")
        #expect(await session.failure(of: try URLRequest(origin))?.reason.isConnectionLoss == true)
        for _ in 0..<3 { #expect(try await session.text(URLRequest(origin)) == "well") }
        #expect(origin.observations.handshakes.map(\.isResumed) == [false, true, true, true, true])
    }

    @Test(arguments: versions)
    func `sessions are shared by all reactors, and belong to one session`(
        options: ScriptedOrigin.TLSOptions
    ) async throws {
        let origin = try ScriptedOrigin(tls: leaf, tlsOptions: options) { _, _ in [.ok("well"), .close] }
        let session = try Session.trusting(authority, connections: 2) { $0.reactorCount = 2 }
        for _ in 0..<6 { #expect(try await session.text(URLRequest(origin)) == "well") }
        #expect(origin.observations.handshakes.map(\.isResumed) == [false, true, true, true, true, true])
        #expect(try await Session.trusting(authority).text(URLRequest(origin)) == "well")
        #expect(origin.observations.handshakes.last?.isResumed == false)
    }

    enum Choking: CaseIterable, Sendable { case close, reset, silence }

    @Test(arguments: versions, Choking.allCases)
    func `a server that chokes on its own session gets a full handshake next`(
        options: ScriptedOrigin.TLSOptions, choking: Choking
    ) async throws {
        let end: ScriptedOrigin.Step =
            switch choking {
            case .close: .close
            case .reset: .reset
            case .silence: .awaitClose
            }
        try await BriefLimit.expect([false, false]) { limit in
            let origin = try ScriptedOrigin(
                tls: leaf, tlsOptions: options, onAccept: { $0 == 2 ? [.receive(1), end] : [] }
            ) { _, _ in [.ok("well"), .close] }
            let session = try Session.trusting(authority)
            let request = try URLRequest(origin)
            _ = try await session.data(for: request)
            let choked = choking == .silence ? request.limited(to: Timeouts(connect: limit)) : request
            guard await session.failure(of: choked) != nil else { return [] }
            _ = try await session.data(for: request)
            return origin.observations.handshakes.map(\.isResumed)
        }
    }

    @Test func `fifty connections at a time take no ticket twice`() async throws {
        let origin = try ScriptedOrigin(tls: leaf, tlsOptions: .only(.tls13)) { _, _ in [.ok("well"), .close] }
        let session = try Session.trusting(authority, connections: 50) { $0.reactorCount = 2 }
        for _ in 0..<4 {
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<50 { group.addTask { try await session.text(URLRequest(origin)) } }
                for try await text in group { #expect(text == "well") }
            }
        }
        #expect(origin.observations.handshakes.count == 200)
        #expect(origin.observations.handshakes.count(where: \.isResumed) >= 8)
        #expect(origin.observations.failedHandshakes.isEmpty)
    }
}
