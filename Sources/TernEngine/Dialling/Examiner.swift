// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernTLS

/// What one server will be judged by, decided on before it is spoken to.
struct Examiner {
    let server: HTTPOrigin
    private let context: TLSContext
    private let decision: TrustDecision
    private let trust: TrustSettings

    /// Asks the session for its policies.
    init(of server: HTTPOrigin, _ context: TLSContext, _ trust: TrustSettings) throws(TLSError) {
        self.server = server
        self.context = context
        self.trust = trust
        decision = try trust.decision(forHost: server.host)
    }

    /// Of the policies.
    var generation: UInt64 { decision.generation }

    /// Whether the policies still count.
    var isCurrent: Bool { generation == trust.generation }

    /// A session in which the server will be judged. A policy may be asked whether a verdict still holds.
    ///
    /// - Parameter asksUser: whether delegates answer the verdict.
    func newSession(asksUser: Bool) throws(TLSError) -> TLSSession {
        try TLSSession(
            context: context, host: server.host, port: server.port, policy: decision.policy, profile: decision.profile,
            asksUser: asksUser)
    }

    /// Sends a report if the server did not meet a pin set that wants one.
    func report(_ result: ServerTrustResult) { trust.report(result, by: decision, of: server) }
}
