// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1

/// A server requests credentials: a 401 response with `WWW-Authenticate` (RFC 9110 §11.6.1).
public struct AuthenticationChallenge: Sendable {
    /// The 401 response.
    public let response: HTTPURLResponse
    /// The origin that requests credentials.
    public let origin: HTTPOrigin
    /// The values of its `WWW-Authenticate` fields, such as `Basic realm="…"`, as text: ``response`` has their
    /// bytes.
    public let challenges: [String]
    /// The number of times that credentials were given before for this task.
    public let previousFailureCount: Int
    /// Whether a redirect has led the task away from the origin of its first request, even if another has led it back:
    /// a server, not the caller, has chosen which server asks. Scheme, host and port make an origin, so `https` to
    /// `http` on one host leaves it.
    ///
    /// No secret of the request or the session is sent then. An answer is sent: give one only if it is meant for
    /// ``origin``.
    public let hasLeftOrigin: Bool
}
