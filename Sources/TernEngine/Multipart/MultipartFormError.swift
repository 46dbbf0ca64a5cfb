// SPDX-License-Identifier: Apache-2.0
public import TernIO

/// Why a form cannot be created, or sent completely.
public enum MultipartFormError: Error, Sendable, Hashable {
    /// A file cannot be opened or read.
    case unreadable(path: String, SystemCallError)
    /// A part would be read from a file without a length, such as a directory or a pipe: use a stream instead.
    case noRegularFile(path: String)
    /// The length of a file, in bytes, has changed since it was appended.
    case fileChanged(path: String, length: Int64)
    /// A header field of a part is invalid: its name is not a token, or its value contains a control character (RFC
    /// 9110 §5.5).
    case invalidField(name: String)
    /// The boundary needs quotes, or is longer than 70 characters (RFC 2046 §5.1.1).
    case invalidBoundary(String)
    /// A part's length is negative.
    case invalidLength(Int)
    /// The lengths of the parts add up to more than 2⁶³ - 1 bytes.
    case tooLarge
    /// A stream ended this number of bytes before its announced length.
    case streamTooShort(missing: Int)
    /// A stream returned at least this number of bytes more than it announced.
    case streamTooLong(excess: Int)
    /// A stream can be read once, and has been read.
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
        case .streamAlreadyUsed: "a part's stream can be read only once, and has been read"
        }
    }
}
