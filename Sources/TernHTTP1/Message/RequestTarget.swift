// SPDX-License-Identifier: Apache-2.0

/// The four forms of a request target (RFC 9112 §3.2). Percent-encoding is the caller's: anything but visible ASCII
/// is refused when the request is encoded.
public enum RequestTarget: Sendable, Hashable {
    /// Path and query, from its "/": what an origin server is asked (§3.2.1).
    case origin(String)
    /// A whole URI: what a proxy is asked (§3.2.2).
    case absolute(String)
    /// Host and port: `CONNECT` only (§3.2.3).
    case authority(String)
    /// The server as such: `OPTIONS` only (§3.2.4).
    case asterisk
}
