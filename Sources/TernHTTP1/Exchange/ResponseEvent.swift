// SPDX-License-Identifier: Apache-2.0

/// What ``Exchange/receive(_:from:)`` found.
public enum ResponseEvent: Sendable {
    /// All given bytes are consumed, and the message continues.
    case needMoreBytes
    /// An informational response, any 1xx but 101; the final one is still to come (RFC 9110 §15.2).
    case informational(ResponseHead)
    /// The head of the final response.
    case head(ResponseHead)
    /// Content: a range of the span given, not a copy.
    case body(Range<Int>)
    /// The response is complete. Trailers are separate from the header section, because their meaning there may differ
    /// (RFC 9110 §6.5.1). `discarded` are trailer fields that are not allowed as trailers, such as `Set-Cookie` or
    /// `Content-Length`: they are reported and never applied.
    case end(trailers: HeaderFields, discarded: HeaderFields)
    /// After the head of a 101, or of a 2xx to CONNECT: the unconsumed bytes belong to the next protocol.
    case handedOver
}
