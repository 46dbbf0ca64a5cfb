// SPDX-License-Identifier: Apache-2.0
import Dispatch
import FoundationEssentials
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Handshakes whose client certificate has its key elsewhere.
@Suite(.timeLimit(.minutes(1))) struct SignatureTests {
    private let authority: CertificateAuthority
    private let own: Identity
    /// Wants a client certificate.
    private let strict: ScriptedOrigin
    /// Wants none.
    private let plain: ScriptedOrigin

    init() throws {
        authority = try CertificateAuthority()
        own = try authority.issue(
            LeafRequest(
                commonName: "client", dnsNames: [], extensions: [CertificateExtension("extendedKeyUsage", "clientAuth")]
            ))
        var options = ScriptedOrigin.TLSOptions()
        options.clientCertificates = .required(authorityPEM: authority.certificatePEM)
        strict = try ScriptedOrigin(tls: try authority.issue(), tlsOptions: options) { _, _ in [.ok("strict")] }
        plain = try ScriptedOrigin(tls: try authority.issue()) { _, _ in [.ok("plain")] }
    }

    /// With one reactor.
    private func session(
        _ sign: @escaping @Sendable (SigningRequest) async throws -> [UInt8]
    ) throws -> Session {
        let identity = try ClientIdentity(
            certificates: X509Certificate.all(inPEM: own.chainPEM), signature: sign)
        return try Session.trusting(authority, connections: 4) { $0.tls.identity = identity }
    }

    @Test(arguments: [false, true]) func `a late signature delays no other connection of the reactor`(
        blocks: Bool
    ) async throws {
        let own = own
        let (questions, ask) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let blockedGate = DispatchSemaphore(value: 0)
        let session = try session { request in
            ask.yield()
            if blocks { Self.wait(for: blockedGate) } else { for await _ in gate { break } }
            return try own.signature(of: request.digest, isPSS: request.algorithm == .rsaPSS)
        }
        let request = try URLRequest(strict)
        async let late = session.text(request)
        for await _ in questions { break }
        // The closure waits, and these handshakes and requests are all of one reactor.
        for _ in 0..<3 { #expect(try await session.text(try URLRequest(plain)) == "plain") }
        #expect(strict.requests.isEmpty)
        open.yield()
        blockedGate.signal()
        #expect(try await late == "strict")
        #expect(strict.observations.handshakes.map(\.clientCertificate).allSatisfy { $0 != nil })
    }

    private static func wait(for gate: DispatchSemaphore) { gate.wait() }

    @Test func `a closure that never answers is cancelled when the time to connect is up`() async throws {
        let (silence, _) = AsyncStream.makeStream(of: Never.self)
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        let session = try session { _ in
            for await _ in silence {}
            end.yield(Task.isCancelled)
            return []
        }
        let request = try URLRequest(strict).limited(to: Timeouts(connect: .milliseconds(200)))
        guard case .timedOut(.connect)? = await session.failure(of: request)?.reason else {
            Issue.record("the time to connect is without effect")
            return
        }
        for await isCancelled in ends {
            #expect(isCancelled)
            break
        }
        #expect(try await session.text(try URLRequest(plain)) == "plain")
        #expect(strict.requests.isEmpty)
    }

    @Test func `handshakes beyond the number of threads wait their turn`() async throws {
        let own = own
        let session = try session { request in
            await Task.yield()
            return try own.signature(of: request.digest, isPSS: request.algorithm == .rsaPSS)
        }
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<40 {
                group.addTask { [strict] in try await session.text(try URLRequest(strict)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts == Array(repeating: "strict", count: 40))
    }

    @Test func `what the closure throws, and a wrong signature, are the error of the request`() async throws {
        struct Refusal: Error {}
        let refused = await (try session { _ in throw Refusal() }).failure(of: try URLRequest(strict))
        #expect(Self.reason(refused) == .signing(.refused("Refusal()")))
        let wrong = await (try session { _ in [1, 2, 3] }).failure(of: try URLRequest(strict))
        #expect(Self.reason(wrong) == .signing(.invalidSignature))
        #expect(strict.requests.isEmpty)
    }

    private static func reason(_ error: SessionError?) -> TLSError.Reason? {
        if case .connecting(.insecure(let error))? = error?.reason { error.reason } else { nil }
    }
}
