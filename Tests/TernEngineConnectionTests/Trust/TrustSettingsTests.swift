// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTLS
import TernTesting
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
import TernLock

@Suite(.timeLimit(.minutes(5))) struct TrustSettingsTests {
    private func pinning(_ pins: [String], chain: Bool = true, host: Bool = true) throws -> ServerTrustPolicy {
        .pinPublicKeys(
            publicKeys: try pins.map { try X509Certificate.PublicKey(pin: $0) }, validateCertificateChain: chain,
            validateHost: host)
    }

    @Test(.proves("13.13a"))
    func `a right pin is accepted, be it of leaf, intermediate or root, and backups do no harm`() async throws {
        let root = try CertificateAuthority()
        let intermediate = try root.issueIntermediate()
        let identity = try intermediate.issue()
        let origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok("answer")] }
        let backup = try CertificateAuthority().pin
        for pin in [identity.pin, intermediate.pin, root.pin] {
            let session = try Session.trusting(root, policies: ["localhost": pinning([backup, pin])])
            let delegate = RecordingDelegate()
            let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
            task.resume()
            #expect(await delegate.end().error == nil)
            let connection = try #require(task.metrics?.connection)
            #expect(connection.publicKeyPins == [identity.pin, intermediate.pin, root.pin])
            #expect(connection.tls?.version == "TLSv1.3")
            #expect(connection.tls?.applicationProtocol == "http/1.1")
            let (resolved, connected) = (connection.resolved, connection.connected)
            let secured = try #require(connection.secured)
            #expect(connection.start <= resolved && resolved <= connected && connected <= secured)
        }
        #expect(origin.observations.handshakes.count == 3)
        #expect(origin.observations.handshakes.allSatisfy { $0.serverName == "localhost" && !$0.isResumed })
    }

    @Test func `pins are not found among certificates that were merely sent along`() async throws {
        let good = try CertificateAuthority(commonName: "Good")
        let goodIntermediate = try good.issueIntermediate()
        let goodLeaf = try goodIntermediate.issue()
        let evil = try CertificateAuthority(commonName: "Evil")
        let evilLeaf = try evil.issue()
        let decorated = evilLeaf.sending(
            chainPEM: evilLeaf.chainPEM + evil.certificatePEM + goodLeaf.chainPEM + good.certificatePEM)
        let anchors = try [good, evil].map { try X509Certificate(pem: $0.certificatePEM) }
        let origin = try ScriptedOrigin(tls: decorated) { _, _ in [.ok()] }
        for pin in [goodLeaf.pin, goodIntermediate.pin, good.pin] {
            let session = Session.limited(policies: ["localhost": try pinning([pin])]) {
                $0.tls.anchors = .only(anchors)
            }
            let error = try #require(await session.failure(of: try URLRequest(origin)))
            if case .keyNotPinned = error.reason.trustFailure?.reason {} else { Issue.record("\(error)") }
            #expect(!error.wasSent)
        }
        #expect(origin.observations.headCount == 0)
        #expect(origin.observations.handshakes.isEmpty)
    }

    @Test func `policies hold for the hosts they are given for, whatever the order of requests`() async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue()
        let origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok("answer")] }
        let stranger = try ScriptedOrigin(tls: CertificateAuthority().issue()) { _, _ in [.ok("stranger")] }
        let wrong = try CertificateAuthority().pin
        let session = try Session.trusting(
            authority,
            policies: [
                "127.0.0.1": pinning([wrong]), "localhost": pinning([identity.pin]), "localhost.": .disableEvaluation,
            ])
        for _ in 0..<2 {
            #expect(try await session.text(URLRequest(origin)) == "answer")
            #expect(await session.failure(of: try URLRequest(origin, host: "127.0.0.1"))?.reason.trustFailure != nil)
            #expect(await session.failure(of: try URLRequest(stranger))?.reason.trustFailure != nil)
        }
        #expect(stranger.observations.headCount == 0)
        #expect(origin.observations.handshakes.count == 1)
        #expect(await origin.waitFor { $0.failedHandshakes.count == 2 })
    }

    @Test func `a connection that one session accepted is no use to another with stricter rules`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.ok("answer")] }
        let lax = Session.limited(policies: ["localhost": .disableEvaluation])
        #expect(try await lax.text(URLRequest(origin)) == "answer")
        let strict = try Session.trusting(authority, policies: ["localhost": pinning([CertificateAuthority().pin])])
        #expect(await strict.failure(of: try URLRequest(origin))?.reason.trustFailure != nil)
        #expect(await Session.limited().failure(of: try URLRequest(origin))?.reason.trustFailure != nil)
        #expect(try await lax.text(URLRequest(origin)) == "answer")
        #expect(origin.connectionCount == 3)
        #expect(origin.observations.handshakes.count == 1)
        #expect(origin.requests.count == 2)
    }

    @Test(.proves("13.2b", "13.10a"))
    func `disabled evaluation accepts everything, and a pin is checked whatever else is switched off`()
        async throws
    {
        var leaf = LeafRequest(dnsNames: ["other.example"])
        leaf.validity = .expired
        let identity = try CertificateAuthority.selfSigned(leaf)
        let origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok("answer")] }
        func session(_ policy: ServerTrustPolicy) -> Session { .limited(policies: ["localhost": policy]) }
        #expect(try await session(.disableEvaluation).text(URLRequest(origin)) == "answer")
        let right = session(try pinning([identity.pin], chain: false, host: false))
        #expect(try await right.text(URLRequest(origin)) == "answer")
        let wrong = session(try pinning([CertificateAuthority().pin], chain: false, host: false))
        let error = await wrong.failure(of: try URLRequest(origin))
        if case .keyNotPinned = error?.reason.trustFailure?.reason {
        } else {
            Issue.record("\(String(describing: error))")
        }
        let none = session(try pinning([], chain: false, host: false))
        #expect(await none.failure(of: try URLRequest(origin))?.reason.trustFailure != nil)
        #expect(origin.observations.headCount == 2)
    }

    @Test(.proves("13.3a", "13.11b")) func `a custom evaluation decides, once for each handshake`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.ok("answer")] }
        let hosts = Lock<[String]>([])
        let session = try Session.trusting(
            authority,
            policies: [
                "localhost": .customEvaluation { trust, host in
                    hosts.withLock { $0.append(host) }
                    return trust.sentChain.count == 1
                }, "127.0.0.1": .customEvaluation { _, _ in false },
            ])
        for _ in 0..<3 { #expect(try await session.text(URLRequest(origin)) == "answer") }
        let error = await session.failure(of: try URLRequest(origin, host: "127.0.0.1"))
        #expect(error?.reason.trustFailure?.reason == .customEvaluation)
        #expect(hosts.withLock { $0 } == ["localhost"])
    }

    @Test(.proves("13.3a"))
    func `a custom evaluation is asked at every full handshake, and not on a connection that is in use`()
        async throws
    {
        let authority = try CertificateAuthority()
        var options = ScriptedOrigin.TLSOptions()
        options.sessionTickets = 0
        let origin = try ScriptedOrigin(tls: authority.issue(), tlsOptions: options) { _, request in
            request.target == "/last" ? [.ok("answer"), .close] : [.ok("answer")]
        }
        let count = Lock(0)
        let session = try Session.trusting(
            authority,
            policies: [
                "localhost": .customEvaluation { _, _ in
                    count.withLock { $0 += 1 }
                    return true
                }
            ])
        for number in 1...3 {
            #expect(try await session.text(URLRequest(origin)) == "answer")
            #expect(try await session.text(URLRequest(origin, "/last")) == "answer")
            #expect(await origin.waitFor { $0.openConnections == 0 })
            await session.settle()
            #expect(count.withLock { $0 } == number)
        }
        #expect(origin.observations.handshakes.count == 3)
    }

    @Test func `hosts are checked in every form`() async throws {
        let authority = try CertificateAuthority()
        var configuration = ScriptedOrigin.Configuration()
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.ok("answer")] }
        let session = try Session.trusting(authority)
        for host in ["localhost", "LOCALHOST", "localhost.", "127.0.0.1"] {
            #expect(try await session.text(URLRequest(origin, host: host)) == "answer", "\(host)")
        }
        #expect(origin.observations.handshakes.map(\.serverName) == ["localhost", "localhost", nil])
        configuration.address = .ipv6
        let ipv6 = try ScriptedOrigin(configuration, tls: authority.issue()) { _, _ in [.ok("answer")] }
        #expect(try await session.text(URLRequest(ipv6)) == "answer")
        #expect(ipv6.observations.handshakes.map(\.serverName) == [nil])
        #expect(ipv6.requests.first?.value(of: "Host") == "[::1]:\(ipv6.port)")
    }

    @Test func `many requests at once make one context, and few handshakes`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.ok("answer")] }
        let session = try Session.trusting(authority, connections: 8) { $0.reactorCount = 2 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { _ = try await session.data(for: URLRequest(origin)) } }
            try await group.waitForAll()
        }
        // A reactor that is first may take more than its half, and gives it back.
        #expect(origin.observations.handshakes.count <= 12)
        #expect(origin.observations.requestCount == 100)
    }

    @Test func `a configuration that cannot be is the error of every request`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.ok()] }
        let session = try Session.trusting(authority) {
            $0.tls.minimumVersion = .v1_3
            $0.tls.maximumVersion = .v1_2
        }
        for _ in 0..<2 {
            let error = await session.failure(of: try URLRequest(origin))
            if case .connecting(.insecure(let tls)) = error?.reason, case .invalidConfiguration = tls.reason {
            } else {
                Issue.record("\(String(describing: error))")
            }
            #expect(error?.phase == .tls)
        }
        #expect(origin.connectionCount == 0)
    }

    @Test func `uses TLS 1.2 with a server that has no later version, unless configured not to`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: authority.issue(), tlsOptions: .only(.tls12)) { _, _ in [.ok("answer")] }
        #expect(try await Session.trusting(authority).text(URLRequest(origin)) == "answer")
        #expect(origin.observations.handshakes.map(\.version) == ["TLSv1.2"])
        let modern = try Session.trusting(authority) { $0.tls.minimumVersion = .v1_3 }
        #expect(await modern.failure(of: try URLRequest(origin))?.phase == .tls)
    }

    @Test func `a client certificate is shown by the session that has it, and by no other`() async throws {
        let authority = try CertificateAuthority()
        let own = try authority.issue(LeafRequest(extensions: [CertificateExtension("extendedKeyUsage", "clientAuth")]))
        var options = ScriptedOrigin.TLSOptions()
        options.clientCertificates = .requested(authorityPEM: authority.certificatePEM)
        let origin = try ScriptedOrigin(tls: authority.issue(), tlsOptions: options) { connection, _ in
            [.ok("\(connection)")]
        }
        let identity = try ClientIdentity(
            pem: Array(own.chainPEM.utf8), privateKeyPEM: Array(own.privateKeyPEM.utf8))
        let known = try Session.trusting(authority) { $0.tls.identity = identity }
        let unknown = try Session.trusting(authority)
        for _ in 0..<2 {
            #expect(try await known.text(URLRequest(origin)) == "1")
            #expect(try await unknown.text(URLRequest(origin)) == "2")
        }
        #expect(origin.observations.handshakes.map { $0.clientCertificate != nil } == [true, false])
    }

    @Test(.proves("13.3b"), arguments: [ScriptedOrigin.TLSOptions.Version.tls12, .tls13])
    func `a resumed session carries its verdict along, and only under the policy that gave it`(
        version: ScriptedOrigin.TLSOptions.Version
    ) async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue()
        let origin = try ScriptedOrigin(tls: identity, tlsOptions: .only(version)) { _, request in
            [.ok("answer"), .hold, .close]
        }
        let policy = ChangingPolicy(try pinning([identity.pin]))
        let anchor = try X509Certificate(pem: authority.certificatePEM)
        var configuration = SessionConfiguration()
        configuration.tls.anchors = .only([anchor])
        let session = Session(configuration: configuration, serverTrustPolicyManager: policy)
        for isResumed in [false, true, true] {
            let delegate = RecordingDelegate()
            let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
            task.resume()
            #expect(await delegate.end().error == nil)
            #expect(task.metrics?.connection?.tls?.resumed == isResumed)
            #expect(task.metrics?.connection?.publicKeyPins == [identity.pin, authority.pin])
            try origin.release()
            #expect(await origin.waitFor { $0.openConnections == 0 })
            await session.settle()
        }
        #expect(origin.observations.handshakes.map(\.isResumed) == [false, true, true])
        policy.policy = try pinning([CertificateAuthority().pin])
        let error = await session.failure(of: try URLRequest(origin))
        if case .keyNotPinned = error?.reason.trustFailure?.reason {
        } else {
            Issue.record("\(String(describing: error))")
        }
        #expect(error?.wasSent == false)
        #expect(origin.requests.count == 3)
        #expect(origin.observations.handshakes.count == 3)
    }
}

/// One policy for every host, which may change at any time.
private final class ChangingPolicy: ServerTrustPolicyManager, @unchecked Sendable {
    // All that is not immutable is behind a lock, as the superclass demands.
    private let current: Lock<ServerTrustPolicy>

    init(_ policy: ServerTrustPolicy) {
        current = Lock(policy)
        super.init(policies: [:])
    }

    var policy: ServerTrustPolicy {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    override func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? { policy }
}
