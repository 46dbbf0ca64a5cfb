// SPDX-License-Identifier: Apache-2.0

/// The answer to a challenge for credentials (RFC 9110 §11).
public enum ChallengeAnswer: Sendable {
    /// Send the request again with an `Authorization` field of this value, such as `Bearer …`. It is sent to
    /// ``AuthenticationChallenge/origin`` only, even if that is not the origin of the request: see
    /// ``AuthenticationChallenge/hasLeftOrigin``.
    case authorization(String)
    /// Send the request again with this name and password, in the strongest scheme that the server offers and Tern
    /// supports: Digest or Basic. Challenges that do not refuse the credential, such as for a stale nonce, are answered
    /// without asking again. The response is delivered if no challenge can be answered with a password.
    case credential(PasswordCredential)
    /// Deliver the response like any other.
    case deliver
}
