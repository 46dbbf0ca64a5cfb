// SPDX-License-Identifier: Apache-2.0
public import TernIO

/// Why a form cannot be made, or sent whole.
public enum MultipartFormError: Error, Sendable, Hashable {
    /// A file cannot be opened or read.
    case unreadable(path: String, SystemCallError)
    /// A part is to be read from something that has no length, such as a directory or a pipe: give that as a stream.
    case noRegularFile(path: String)
    /// A file is no longer as long, in bytes, as when it was appended.
    case fileChanged(path: String, length: Int64)
    /// A header field of a part would be more than one field, or none: a name that is no token, or a value with a
    /// control character in it (RFC 9110 §5.5).
    case invalidField(name: String)
    /// A boundary that would have to be quoted, or is longer than 70 characters (RFC 2046 §5.1.1).
    case invalidBoundary(String)
    /// A part's length is below zero.
    case invalidLength(Int)
    /// The lengths of the parts add up to more than 2⁶³ - 1 bytes.
    case tooLarge
    /// A stream ended this number of bytes before its announced length.
    case streamTooShort(missing: Int)
    /// A stream gave this number of bytes more than it announced, or even more.
    case streamTooLong(excess: Int)
    /// A stream can be read once, and was.
    case streamAlreadyUsed
}

extension MultipartFormError: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        switch self {
        case .unreadable(let path, let error): "\(path) cannot be read: \(error)"
        case .noRegularFile(let path): "\(path) is no regular file"
        case .fileChanged(let path, let length): "\(path) is no longer \(length) bytes long"
        case .invalidField(let name): "the field \(String(reflecting: name)) of a part cannot be written"
        case .invalidBoundary(let boundary): "\(String(reflecting: boundary)) cannot be a boundary"
        case .invalidLength(let length): "a part cannot be \(length) bytes long"
        case .tooLarge: "the form is longer than can be counted"
        case .streamTooShort(let missing): "a part's stream ended \(missing) bytes before its announced length"
        case .streamTooLong(let excess): "a part's stream is at least \(excess) bytes longer than announced"
        case .streamAlreadyUsed: "a part's stream can be read once, and was"
        }
    }
}
