// SPDX-License-Identifier: Apache-2.0

/// What to do about a ``Challenge``.
public enum ChallengeDisposition: Sendable, Hashable {
    /// Answer with the credential; without one as by default. A server whose trust is the credential is accepted, also
    /// if the manager's policies refused it.
    case useCredential
    /// Do as without a delegate: the verdict of the manager's policies stands, a request for a password is not
    /// answered.
    case performDefaultHandling
    /// End the request. A server is refused.
    case cancelAuthenticationChallenge
    /// Do not answer: the response that asks is the answer. A server is refused.
    case rejectProtectionSpace
}
