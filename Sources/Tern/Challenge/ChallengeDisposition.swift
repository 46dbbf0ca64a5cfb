// SPDX-License-Identifier: Apache-2.0

/// The answer to a ``Challenge``.
public enum ChallengeDisposition: Sendable, Hashable {
    /// Answer with the credential; without one, use the default handling. A server trust credential accepts the server,
    /// even if the manager's policies refused it.
    case useCredential
    /// Use the default handling: keep the verdict of the manager's policies, and do not answer a request for a
    /// password.
    case performDefaultHandling
    /// End the request. A server is refused.
    case cancelAuthenticationChallenge
    /// Do not answer: the response with the challenge is the result. A server is refused.
    case rejectProtectionSpace
}
