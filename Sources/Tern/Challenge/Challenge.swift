// SPDX-License-Identifier: Apache-2.0
public import TernEngine

/// A question that must be answered before a request continues: a server requests credentials, or the client asks
/// whether to trust a server.
public struct Challenge: Sendable {
    /// The protection space of the challenge.
    public let protectionSpace: ProtectionSpace
    /// The number of answers given before for the same task.
    public let previousFailureCount: Int
    /// The response with the challenge.
    public let failureResponse: HTTPURLResponse?
    /// The verdict of the manager's policies, with its reasons, for a server trust challenge; nil otherwise. Revocation
    /// has been checked as they require, and ``ProtectionSpace/serverTrust`` has the results.
    public let verdict: ServerTrustResult?
    /// Whether a redirect has led the request away from its origin (scheme, host and port), even if another has led it
    /// back.
    ///
    /// The credential of ``Request/authenticate(user:password:persistence:)`` is withheld then, and the 401 is the
    /// answer. A closure that answers with a credential gives it to the host of ``protectionSpace``.
    public let hasLeftOrigin: Bool

    /// Creates a challenge, for example for tests.
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

    /// Whether it is a server trust challenge.
    init(_ challenge: ServerTrustChallenge) {
        self.init(
            protectionSpace: ProtectionSpace(
                host: challenge.origin.host, port: Int(challenge.origin.port), protocol: "\(challenge.origin.scheme)",
                authenticationMethod: .serverTrust, serverTrust: challenge.serverTrust),
            verdict: challenge.verdict)
    }

    /// Chooses among the challenges of a 401: the one that a password answers most safely, else the first.
    init(_ challenge: AuthenticationChallenge) {
        let scheme = HTTPChallenge.preferred(
            among: HTTPChallenge.challenges(in: challenge.response.head.bytes(for: "WWW-Authenticate")))
        self.init(
            protectionSpace: ProtectionSpace(
                host: challenge.origin.host, port: Int(challenge.origin.port), protocol: "\(challenge.origin.scheme)",
                realm: scheme?.realm, authenticationMethod: .init(scheme: scheme?.scheme)),
            previousFailureCount: challenge.previousFailureCount, failureResponse: challenge.response,
            hasLeftOrigin: challenge.hasLeftOrigin)
    }
}
