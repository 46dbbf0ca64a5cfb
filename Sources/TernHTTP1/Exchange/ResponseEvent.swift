// SPDX-License-Identifier: Apache-2.0

/// What ``Exchange/receive(_:from:)`` found.
public enum ResponseEvent: Sendable {
    /// Everything given is consumed, and the message goes on.
    case needMoreBytes
    /// An informational response, any 1xx but 101; the final one is still to come (RFC 9110 §15.2).
    case informational(ResponseHead)
    /// The head of the final response.
    case head(ResponseHead)
    /// Content: a range of the span given, not a copy.
    case body(Range<Int>)
    /// The response is complete. Trailers are kept apart from the header section, because they may not mean there what
    /// they would have meant here (RFC 9110 §6.5.1). `discarded` are the fields of the trailer section that are no
    /// trailers, such as `Set-Cookie` or `Content-Length`: they are reported and never obeyed.
    case end(trailers: HeaderFields, discarded: HeaderFields)
    /// Behind the head of a 101, or of a 2xx to CONNECT: what is not consumed belongs to the next protocol.
    case handedOver
}
