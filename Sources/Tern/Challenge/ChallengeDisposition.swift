// SPDX-License-Identifier: Apache-2.0

/// What to do about a ``Challenge``.
public enum ChallengeDisposition: Sendable, Hashable {
    /// Answer with the credential; without one as by default.
    case useCredential
    /// What would happen if nobody were asked: a server is evaluated as the system would, a request for a password is not answered.
    case performDefaultHandling
    /// End the request.
    case cancelAuthenticationChallenge
    /// Do not answer: the response that asks is the answer. A server is not trusted.
    case rejectProtectionSpace
}
