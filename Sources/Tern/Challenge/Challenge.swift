// SPDX-License-Identifier: Apache-2.0
public import TernEngine

/// A question that has to be answered before a request goes on: a server asks for credentials, or the client whether to
/// trust a server.
public struct Challenge: Sendable {
    /// What it is about.
    public let protectionSpace: ProtectionSpace
    /// How often an answer was given before for the same task.
    public let previousFailureCount: Int
    /// The response that asks.
    public let failureResponse: HTTPURLResponse?
    /// The verdict of the manager's policies, with its reasons, where the challenge is about server trust; nil
    /// otherwise. Revocation has been asked about as far as they demand, and ``ProtectionSpace/serverTrust`` carries
    /// what came of it.
    public let verdict: ServerTrustResult?
    /// Whether a redirect has led the request away from its origin (scheme, host and port), even if another has led it
    /// back.
    ///
    /// The credential of ``Request/authenticate(user:password:persistence:)`` is withheld then, and the 401 is the
    /// answer. A closure that answers with a credential gives it to the host of ``protectionSpace``.
    public let hasLeftOrigin: Bool

    /// A challenge of one's own making, as for tests.
    public init(
        protectionSpace: ProtectionSpace, previousFailureCount: Int = 0, failureResponse: HTTPURLResponse? = nil,
        verdict: ServerTrustResult? = nil, hasLeftOrigin: Bool = false
    ) {
        self.hasLeftOrigin = hasLeftOrigin
        self.protectionSpace = protectionSpace
        self.previousFailureCount = previousFailureCount
        self.failureResponse = failureResponse
        self.verdict = verdict
    }

    /// Whether a server is trusted.
    init(_ challenge: ServerTrustChallenge) {
        self.init(
            protectionSpace: ProtectionSpace(
                host: challenge.origin.host, port: Int(challenge.origin.port), protocol: "\(challenge.origin.scheme)",
                authenticationMethod: .serverTrust, serverTrust: challenge.serverTrust),
            verdict: challenge.verdict)
    }

    /// What a server asks with a 401: for a password if that will do, because we have no other answer.
    init(_ challenge: AuthenticationChallenge) {
        let scheme = ChallengeScheme.preferred(among: challenge.challenges)
        self.init(
            protectionSpace: ProtectionSpace(
                host: challenge.origin.host, port: Int(challenge.origin.port), protocol: "\(challenge.origin.scheme)",
                realm: scheme?.realm, authenticationMethod: scheme?.method ?? .default),
            previousFailureCount: challenge.previousFailureCount, failureResponse: challenge.response,
            hasLeftOrigin: challenge.hasLeftOrigin)
    }
}
