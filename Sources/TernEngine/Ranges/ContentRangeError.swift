// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a partial response (RFC 9110 §15.3.7).
public enum ContentRangeError: Error, Sendable, Hashable {
    /// It has no `Content-Range`.
    case missing
    /// Its `Content-Range` is not in bytes (RFC 9110 §14.4), or contradicts itself.
    case malformed
    /// It brings several parts, and one was requested.
    case multipart
    /// It brings a part, and the whole was requested.
    case unasked
    /// It begins at another byte than requested.
    case start(Int64, asked: Int64)
    /// The whole is longer or shorter than before.
    case total(Int64, before: Int64)
    /// The announced length of the body differs from that of the part.
    case length(Int64, ofPart: Int64)
}

extension ContentRangeError: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        switch self {
        case .missing: "it does not say which (Content-Range)"
        case .malformed: "its Content-Range cannot be read"
        case .multipart: "it brings several"
        case .unasked: "it brings a part, and the whole was requested"
        case .start(let first, let asked): "it begins at byte \(first), and was to begin at \(asked)"
        case .total(let total, let before): "the whole has \(total) bytes now, and had \(before)"
        case .length(let length, let part): "its body has \(length) bytes, and the part \(part)"
        }
    }

    var rule: String { description }
}
