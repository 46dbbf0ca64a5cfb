// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1

/// A server asks for credentials: a 401 response with `WWW-Authenticate` (RFC 9110 §11.6.1).
public struct AuthenticationChallenge: Sendable {
    /// The response that says so.
    public let response: HTTPURLResponse
    /// The origin that asks for credentials.
    public let origin: HTTPOrigin
    /// The values of its `WWW-Authenticate` fields, such as `Basic realm="…"`, as they came.
    public let challenges: [String]
    /// How often credentials were given before for this task.
    public let previousFailureCount: Int
    /// Whether a redirect has led the task away from the origin of its first request, even if another has led it back:
    /// a server, not the caller, has chosen which server asks. Scheme, host and port make an origin, so `https` to
    /// `http` on one host leaves it.
    ///
    /// No secret of the request or the session goes along then. An answer does: give one only if it is meant for
    /// ``origin``.
    public let hasLeftOrigin: Bool
}
