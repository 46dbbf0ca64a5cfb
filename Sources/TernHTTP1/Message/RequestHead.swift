// SPDX-License-Identifier: Apache-2.0

/// A request without its content: the source of the request line and the field section (RFC 9112 §3, §5).
public struct RequestHead: Sendable {
    /// Case-sensitive (RFC 9110 §9.1).
    public var method: String
    /// The request target, in one of the four forms of RFC 9112 §3.2.
    public var target: RequestTarget
    /// The source of `Host`, unless ``fields`` has a `Host`.
    public var origin: HTTPOrigin
    /// The fields in the order they are sent. The encoder writes the framing: a `Content-Length` or `Transfer-Encoding`
    /// here is refused unless it agrees with the body.
    public var fields: HeaderFields

    /// Creates a head; invalid parts are refused when it is encoded.
    public init(method: String, target: RequestTarget, origin: HTTPOrigin, fields: HeaderFields) {
        self.method = method
        self.target = target
        self.origin = origin
        self.fields = fields
    }
}

extension RequestHead: CustomStringConvertible {
    /// Method, target, origin and fields, without the values of secret ones.
    public var description: String { "\(method) \(target) at \(origin)\n\(fields)" }
}

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

/// How the content of a request is framed (RFC 9112 §6.3).
public enum RequestBodyFraming: Sendable, Hashable {
    /// No content. A method that usually has some (POST, PUT, PATCH) still says `Content-Length: 0` (RFC 9110 §8.6).
    case none
    /// Exactly this number of bytes, announced with `Content-Length`.
    case exactly(Int)
    /// A stream of unknown length: the chunked transfer coding (RFC 9112 §7.1).
    case chunked
}
