// SPDX-License-Identifier: Apache-2.0

/// The answer to a challenge for credentials (RFC 9110 §11).
public enum ChallengeAnswer: Sendable {
    /// Send the request again with an `Authorization` field of this value, such as `Bearer …`. It is sent to
    /// ``AuthenticationChallenge/origin`` only, even if that is not the origin of the request: see
    /// ``AuthenticationChallenge/hasLeftOrigin``.
    case authorization(String)
    /// Deliver the response like any other.
    case deliver
}
