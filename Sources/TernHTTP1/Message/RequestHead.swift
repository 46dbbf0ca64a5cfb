// SPDX-License-Identifier: Apache-2.0

/// A request without its content: what becomes request line and field section (RFC 9112 §3, §5).
public struct RequestHead: Sendable {
    /// Case-sensitive (RFC 9110 §9.1).
    public var method: String
    /// What is asked for, in one of the four forms of RFC 9112 §3.2.
    public var target: RequestTarget
    /// Gives `Host` its value, unless ``fields`` has a `Host` of its own.
    public var origin: HTTPOrigin
    /// Fields in the order they are sent. Framing is the encoder's: a `Content-Length` or `Transfer-Encoding` here is
    /// refused unless it says what the body says anyway.
    public var fields: HeaderFields

    /// A head as it is; what may not be sent is refused when it is encoded.
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
