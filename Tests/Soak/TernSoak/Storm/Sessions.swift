// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernLock

/// The sessions that the workers share. Now and then one is released with its running requests, or has its policies
/// changed.
final class Sessions: Sendable {
    private let sessions: Lock<[Session]>
    private let authority: X509Certificate?

    init(count: Int, authority: [UInt8], draws: inout Draws) {
        let authority = try? X509Certificate(der: authority)
        self.authority = authority
        var made: [Session] = []
        for _ in 0..<count { made.append(Self.session(authority, &draws)) }
        sessions = Lock(made)
    }

    func one(_ draws: inout Draws) -> Session? {
        let draw = draws.next()
        return sessions.withLock { $0.isEmpty ? nil : $0[Int(draw % UInt64($0.count))] }
    }

    /// Releases a session and puts another in its place.
    func replaceOne(_ draws: inout Draws) {
        let fresh = Self.session(authority, &draws)
        let draw = draws.next()
        // Kept until the lock is free.
        let old = sessions.withLock { sessions -> Session? in
            guard !sessions.isEmpty else { return nil }
            let index = Int(draw % UInt64(sessions.count))
            let old = sessions[index]
            sessions[index] = fresh
            return old
        }
        withExtendedLifetime(old) {}
    }

    func changePolicies(_ draws: inout Draws) {
        one(&draws)?.serverTrustPolicyManager = Self.manager(authority, &draws)
    }

    func dropAll() {
        let old = sessions.withLock { sessions in
            let old = sessions
            sessions = []
            return old
        }
        withExtendedLifetime(old) {}
    }

    private static func session(_ authority: X509Certificate?, _ draws: inout Draws) -> Session {
        var configuration = SessionConfiguration()
        configuration.httpMaximumConnectionsPerHost = Int.random(in: 1...6, using: &draws)
        configuration.maximumIdleTime = .milliseconds(draws.one(of: 1, 5, 50, 1000, 5000))
        configuration.maximumQueuedRequestsPerHost = draws.one(of: 3, 100, 100_000)
        configuration.reactorCount = draws.chance(25) ? 1 : nil
        configuration.maximumCollectedBodySize = draws.one(of: 1000, 1 << 20)
        configuration.tls.anchors = .only(authority.map { [$0] } ?? [])
        configuration.tls.resumesSessions = draws.chance(70)
        configuration.timeouts = Timeouts(
            connect: .milliseconds(draws.one(of: 20, 1000, 10_000)),
            idle: .milliseconds(draws.one(of: 1, 20, 500, 5000)))
        return Session(configuration: configuration, serverTrustPolicyManager: manager(authority, &draws))
    }

    private static func manager(_ authority: X509Certificate?, _ draws: inout Draws) -> ServerTrustPolicyManager? {
        let pins = authority.map { [$0] } ?? []
        let policy: ServerTrustPolicy
        switch Int.random(in: 0..<10, using: &draws) {
        case 0: policy = .disableEvaluation
        case 1: policy = .pinCertificates(certificates: pins, validateCertificateChain: true, validateHost: true)
        case 2:
            policy = .pinPublicKeys(
                publicKeys: pins.map(\.publicKey), validateCertificateChain: true, validateHost: true)
        case 3: policy = .pinPublicKeys(publicKeys: [], validateCertificateChain: true, validateHost: true)
        case 4: policy = .composite([.performDefaultEvaluation(validateHost: true), .disableEvaluation])
        case 5: policy = .customEvaluation { _, host in host == "localhost" }
        default: return nil
        }
        return ServerTrustPolicyManager(policies: ["localhost": policy, "127.0.0.1": policy])
    }
}
