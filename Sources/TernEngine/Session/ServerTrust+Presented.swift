// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernTLS
import TernLock

extension ServerTrust {
    /// Asks a server for its certificates: shakes hands as far as the certificates go, and ends the connection before a
    /// request. Nothing is verified; that is for the caller. A response that the server staples is among its revocation
    /// data.
    ///
    /// - Parameters:
    ///   - url: an https URL; only its host and port matter.
    ///   - configuration: how to connect. Its anchors become the trust's.
    /// - Throws: what kept the server from presenting anything.
    public static func presented(
        by url: URL, configuration: SessionConfiguration = .default
    ) async throws(SessionError) -> ServerTrust {
        guard url.scheme?.lowercased() == "https" else {
            throw SessionError(.request(.invalid(.unsupportedScheme(url.scheme ?? ""))), phase: .request)
        }
        let presented = Presented()
        let refusal = ServerTrustPolicy.composite([
            .customEvaluation { trust, _ in
                presented.trust.withLock { $0 = trust }
                return false
            },
            // Never comes to it, but has the server asked for a staple.
            .performRevokedEvaluation(validateHost: false, revocationFlags: [.ocsp, .networkAccessDisabled]),
        ])
        // Whatever the host's spelling, it is the only one this session meets.
        let session = Session(
            configuration: configuration, serverTrustPolicyManager: OnePolicy(policy: refusal))
        do throws(SessionError) {
            _ = try await session.data(for: URLRequest(url: url))
        } catch {
            guard let trust = presented.trust.withLock({ $0 }) else { throw error }
            return trust
        }
        throw SessionError(.connecting(.insecure(TLSError(.noPeerCertificate))), phase: .tls)
    }
}

private final class Presented: Sendable {
    let trust = Lock<ServerTrust?>(nil)
}

/// One policy for every host.
private final class OnePolicy: ServerTrustPolicyManager, @unchecked Sendable {
    // Immutable, as the superclass demands.
    private let policy: ServerTrustPolicy

    init(policy: ServerTrustPolicy) {
        self.policy = policy
        super.init(policies: [:])
    }

    override func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? { policy }
}
