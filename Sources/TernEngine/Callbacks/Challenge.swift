// SPDX-License-Identifier: Apache-2.0
public import TernTLS

/// A question that must be answered before a request continues: a server requests credentials, or the client asks
/// whether to trust a server.
public struct Challenge: Sendable {
    /// The protection space of the challenge.
    public let protectionSpace: ProtectionSpace
    /// The number of credentials given before to the same origin in the same task. One that the task sent before it was
    /// requested does not count.
    public let previousFailureCount: Int
    /// The credential that the session's storage has for the space, and that was not refused in this task; nil without
    /// one, or without a storage.
    public let proposedCredential: Credential?
    /// The response with the challenge.
    // Where a file imports TernURLSession as well, its declaration of the same name is meant.
    @_disfavoredOverload
    public let failureResponse: HTTPURLResponse?
    /// The verdict of the session's policies, with its reasons, for a server trust challenge; nil otherwise. Revocation
    /// has been checked as they require, and ``ProtectionSpace/serverTrust`` has the results.
    public let verdict: ServerTrustResult?
    /// Whether a redirect has led the request away from its origin (scheme, host and port), even if another has led it
    /// back.
    ///
    /// A credential that was given with the request is withheld then; ``proposedCredential`` is not, because it was stored
    /// for the server that asks. Code that answers with a credential gives it to the host of ``protectionSpace``.
    public let hasLeftOrigin: Bool
    /// What a layer above keeps with the challenge.
    package var annex: (any Sendable)?

    /// Creates a challenge, for example for tests.
    public init(
        protectionSpace: ProtectionSpace, proposedCredential: Credential? = nil, previousFailureCount: Int = 0,
        failureResponse: HTTPURLResponse? = nil, verdict: ServerTrustResult? = nil, hasLeftOrigin: Bool = false
    ) {
        self.proposedCredential = proposedCredential
        self.hasLeftOrigin = hasLeftOrigin
        self.protectionSpace = protectionSpace
        self.previousFailureCount = previousFailureCount
        self.failureResponse = failureResponse
        self.verdict = verdict
    }

    /// Whether it is a server trust challenge.
    package init(_ challenge: ServerTrustChallenge) {
        self.init(
            protectionSpace: ProtectionSpace(
                host: challenge.origin.host, port: Int(challenge.origin.port), protocol: "\(challenge.origin.scheme)",
                authenticationMethod: .serverTrust, serverTrust: challenge.serverTrust),
            verdict: challenge.verdict)
    }

    /// The challenge of a 401.
    package init(_ challenge: AuthenticationChallenge) {
        self.init(
            protectionSpace: challenge.protectionSpace, proposedCredential: challenge.proposedCredential,
            previousFailureCount: challenge.previousFailureCount, failureResponse: challenge.response,
            hasLeftOrigin: challenge.hasLeftOrigin)
    }
}

/// The answer to a ``Challenge``.
public enum ChallengeDisposition: Int, Sendable, Hashable {
    /// Answer with the credential; without one, use the default handling. A server trust credential accepts the server,
    /// even if the session's policies refused it.
    case useCredential
    /// Use the default handling: keep the verdict of the session's policies, and answer a request for a password with
    /// ``Challenge/proposedCredential``, if there is one and none was refused before.
    case performDefaultHandling
    /// End the request. A server is refused.
    case cancelAuthenticationChallenge
    /// Do not answer: the response with the challenge is the result. A server is refused.
    case rejectProtectionSpace
}

extension DelegateQuestion<ChallengeAnswer> {
    /// The first answer counts, and so does a cancellation.
    package func answer(_ disposition: ChallengeDisposition, _ credential: Credential?) {
        switch disposition {
        case .useCredential:
            guard let credential else { return answer(.performDefaultHandling) }
            let persistence = credential.persistence
            answer(credential.passwordCredential.map { .credential($0, persistence: persistence) } ?? .deliver)
        case .cancelAuthenticationChallenge: cancelTask()
        case .performDefaultHandling: answer(.performDefaultHandling)
        case .rejectProtectionSpace: answer(.deliver)
        }
    }
}

extension ServerTrustQuestion {
    /// Only a server trust credential accepts a server; default handling keeps the verdict of the policies.
    package func answer(_ disposition: ChallengeDisposition, _ credential: Credential?) {
        switch disposition {
        case .useCredential: answer(credential?.isServerTrust == true ? .accept : .performDefaultHandling)
        case .performDefaultHandling: answer(.performDefaultHandling)
        case .cancelAuthenticationChallenge, .rejectProtectionSpace: answer(.refuse)
        }
    }
}
