// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernTesting
import Testing

@testable import TernTLS

/// The cache alone, with sessions that real handshakes left.
struct SessionCacheTests {
    private let root: CertificateAuthority

    init() throws { root = try CertificateAuthority() }

    private func sessions(_ version: TLSProtocolVersion) throws -> ResumableSession {
        let context = try Dialogue.context(anchors: [root]) {
            $0.minimumVersion = version
            $0.maximumVersion = version
        }
        let dialogue = try Dialogue(identity: try root.issue(), context: context, server: .init(ticketKey: 1))
        _ = try dialogue.open(try dialogue.handshake())
        let cache = try #require(context.sessions)
        return try #require(cache.list(for: Self.key("localhost", port: 443)).take(at: Timestamp.now))
    }

    private static func key(_ host: String, port: UInt16 = 1) -> SessionCache.Key {
        SessionCache.Key(
            host: host, port: port, policy: .performDefaultEvaluation(validateHost: true),
            rules: ChainRules(profile: .standard))
    }

    @Test func `no more sessions are kept for a key than allowed`() throws {
        let cache = SessionCache(keyLimit: 2, sessionLimit: 3)
        let session = try sessions(.v1_3)
        for _ in 0..<10 { cache.store(session, on: cache.list(for: Self.key("a"))) }
        #expect(cache.count == 3)
    }

    @Test func `the key that was used least recently is dropped`() throws {
        let cache = SessionCache(keyLimit: 2, sessionLimit: 8)
        let session = try sessions(.v1_2)
        cache.store(session, on: cache.list(for: Self.key("a")))
        cache.store(session, on: cache.list(for: Self.key("b")))
        #expect(cache.list(for: Self.key("a")).take(at: Timestamp.now) != nil)
        cache.store(session, on: cache.list(for: Self.key("c")))
        #expect(cache.list(for: Self.key("a")).take(at: Timestamp.now) != nil)
        #expect(cache.list(for: Self.key("c")).take(at: Timestamp.now) != nil)
        #expect(cache.list(for: Self.key("b")).take(at: Timestamp.now) == nil)
    }

    @Test func `servers that issue no sessions take up no room`() throws {
        let cache = SessionCache(keyLimit: 2, sessionLimit: 8)
        let session = try sessions(.v1_3)
        let list = cache.list(for: Self.key("a"))
        cache.store(session, on: list)
        for host in ["b", "c", "d"] { #expect(cache.list(for: Self.key(host)).take(at: Timestamp.now) == nil) }
        #expect(cache.list(for: Self.key("a")) === list)
    }

    @Test func `a connection that outlives its list's place gets it back, or joins the one that took it`() throws {
        let cache = SessionCache(keyLimit: 1, sessionLimit: 8)
        let session = try sessions(.v1_3)
        let (first, second) = (cache.list(for: Self.key("a")), cache.list(for: Self.key("a")))
        cache.store(session, on: first)
        cache.store(session, on: cache.list(for: Self.key("b")))
        #expect(cache.list(for: Self.key("a")).count == 0)
        cache.store(session, on: second)
        cache.store(session, on: first)
        #expect(cache.list(for: Self.key("a")) === second)
        #expect(second.count == 2)
        #expect(cache.count == 2)
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a session is given out until the server's word is up`(version: TLSProtocolVersion) throws {
        let cache = SessionCache()
        let session = try sessions(version)
        let expiry = session.reference.expiry
        #expect(expiry > Timestamp.now)
        cache.store(session, on: cache.list(for: Self.key("a")))
        #expect(cache.list(for: Self.key("a")).take(at: expiry) == nil)
        #expect(cache.count == 0)
        cache.store(session, on: cache.list(for: Self.key("a")))
        #expect(cache.list(for: Self.key("a")).take(at: expiry - 1) != nil)
    }

    @Test func `a session of TLS 1.2 stays, one of TLS 1.3 goes`() throws {
        let cache = SessionCache()
        cache.store(try sessions(.v1_2), on: cache.list(for: Self.key("a")))
        cache.store(try sessions(.v1_3), on: cache.list(for: Self.key("b")))
        for key in ["a", "b"] { #expect(cache.list(for: Self.key(key)).take(at: Timestamp.now) != nil) }
        #expect(cache.list(for: Self.key("a")).take(at: Timestamp.now) != nil)
        #expect(cache.list(for: Self.key("b")).take(at: Timestamp.now) == nil)
    }

    @Test func `many threads share it`() async throws {
        let cache = SessionCache(keyLimit: 4, sessionLimit: 4)
        let session = try sessions(.v1_3)
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for round in 0..<500 {
                        cache.store(session, on: cache.list(for: Self.key("\((worker + round) % 6)")))
                        _ = cache.list(for: Self.key("\(round % 6)")).take(at: Timestamp.now)
                    }
                }
            }
        }
        #expect(cache.count <= 16)
    }
}

struct PolicyEqualityTests {
    private static let key = X509Certificate.PublicKey(subjectPublicKeyInfo: [1])
    private static let other = X509Certificate.PublicKey(subjectPublicKeyInfo: [2])

    private static let policies: [ServerTrustPolicy] = [
        .performDefaultEvaluation(validateHost: true), .performDefaultEvaluation(validateHost: false),
        .performRevokedEvaluation(validateHost: true, revocationFlags: .ocsp),
        .performRevokedEvaluation(validateHost: true, revocationFlags: .crl),
        .pinPublicKeys(publicKeys: [key], validateCertificateChain: true, validateHost: true),
        .pinPublicKeys(publicKeys: [other], validateCertificateChain: true, validateHost: true),
        .pinPublicKeys(publicKeys: [key], validateCertificateChain: false, validateHost: true),
        .pinPublicKeys(publicKeys: [key], validateCertificateChain: true, validateHost: false),
        .pinCertificates(certificates: [], validateCertificateChain: true, validateHost: true),
        .pinSet(PinSet(pins: [key])), .pinSet(PinSet(pins: [other])), .composite([.disableEvaluation]),
        .composite([]), .disableEvaluation,
    ]

    @Test func `policies with different demands differ, and a closure is equal to itself alone`() {
        #expect(Set(Self.policies).count == Self.policies.count)
        let closures = (0..<2).map { _ in ServerTrustPolicy.customEvaluation { _, _ in true } }
        #expect(closures[0] == closures[0] && closures[0] != closures[1])
        #expect(ServerTrustPolicy.composite(closures) == .composite(closures))
    }

    @Test func `a verdict of closures and composites is not reused without a further evaluation`() {
        #expect(ServerTrustPolicy.customEvaluation { _, _ in true }.isReevaluated)
        #expect(ServerTrustPolicy.composite([.disableEvaluation]).isReevaluated)
        #expect(Self.policies.filter(\.isReevaluated).count == 2)
    }
}
