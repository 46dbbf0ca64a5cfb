// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1
public import TernIO

/// Why the content of a request could not be sent completely. The connection is closed.
public enum RequestBodyError: Error, Sendable {
    /// The source ended, or the file became shorter, before the announced length, in bytes.
    case tooShort(missing: Int)
    /// The source returned more bytes than announced.
    case tooLong(excess: Int)
    /// The source failed with this error, or could not be created.
    case failed(any Error)
    /// The source can be read once, and another exchange has begun to, or its task is over.
    case alreadyUsed
    /// The file cannot be read.
    case unreadable(SystemCallError, path: String)
    /// The source's trailer fields cannot be sent: a field that is not allowed there, or an announced length.
    case unencodable(HTTPProtocolError)
}

extension RequestBodyError: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        switch self {
        case .tooShort(let missing): "it ended \(missing) bytes before its announced length"
        case .tooLong(let excess): "it is \(excess) bytes longer than announced"
        case .failed(let error): "its source failed: \(error)"
        case .alreadyUsed: "its source can be read only once, and has been read"
        case .unreadable(let error, let path): "its file \(path.excerpt) cannot be read: \(error)"
        case .unencodable(let error): "\(error)"
        }
    }
}
