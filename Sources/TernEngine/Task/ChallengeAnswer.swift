// SPDX-License-Identifier: Apache-2.0

/// What to do when a server asks for credentials (RFC 9110 §11).
public enum ChallengeAnswer: Sendable {
    /// Ask again with an `Authorization` field of this value, such as `Bearer …`. It goes to
    /// ``AuthenticationChallenge/origin`` only, also where that is not the origin of the request: see
    /// ``AuthenticationChallenge/hasLeftOrigin``.
    case authorization(String)
    /// Deliver the response like any other.
    case deliver
}
