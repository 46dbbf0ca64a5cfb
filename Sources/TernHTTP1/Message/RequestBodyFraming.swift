// SPDX-License-Identifier: Apache-2.0

/// How the content of a request is framed (RFC 9112 §6.3).
public enum RequestBodyFraming: Sendable, Hashable {
    /// No content. A method that usually has some (POST, PUT, PATCH) still says `Content-Length: 0` (RFC 9110 §8.6).
    case none
    /// Exactly this number of bytes, announced with `Content-Length`.
    case exactly(Int)
    /// A stream of unknown length: the chunked transfer coding (RFC 9112 §7.1).
    case chunked
}
