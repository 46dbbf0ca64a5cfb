// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernTLS

/// The settings for evaluating one server, chosen before it is connected to.
struct ServerTrustContext {
    let server: HTTPOrigin
    private let context: TLSContext
    private let decision: TrustDecision
    private let trust: TrustSettings

    /// Gets the policies from the session.
    init(of server: HTTPOrigin, _ context: TLSContext, _ trust: TrustSettings) throws(TLSError) {
        self.server = server
        self.context = context
        self.trust = trust
        decision = try trust.decision(forHost: server.certifiedHost)
    }

    /// The generation of the policies.
    var generation: UInt64 { decision.generation }

    /// Whether the policies are still current.
    var isCurrent: Bool { generation == trust.generation }

    /// Creates a TLS session that evaluates the server. A policy may be asked whether a verdict still holds.
    ///
    /// - Parameter asksUser: whether delegates answer the verdict.
    func newSession(asksUser: Bool) throws(TLSError) -> TLSSession {
        try TLSSession(
            context: context, host: server.certifiedHost, port: server.port, policy: decision.policy,
            profile: decision.profile,
            asksUser: asksUser)
    }

    /// Sends a report if the server did not match a pin set that wants reports.
    func report(_ result: ServerTrustResult) { trust.report(result, by: decision, of: server) }
}
