// SPDX-License-Identifier: Apache-2.0

/// The four forms of a request target (RFC 9112 §3.2). The caller percent-encodes: anything but visible ASCII is
/// refused when the request is encoded.
public enum RequestTarget: Sendable, Hashable {
    /// Path and query, beginning with "/": for an origin server (§3.2.1).
    case origin(String)
    /// A whole URI: for a proxy (§3.2.2).
    case absolute(String)
    /// Host and port: `CONNECT` only (§3.2.3).
    case authority(String)
    /// The server itself: `OPTIONS` only (§3.2.4).
    case asterisk
}
