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
