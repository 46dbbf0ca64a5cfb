// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1
public import TernIO

/// Why the content of a request could not be sent whole. The connection it was sent on is closed.
public enum RequestBodyError: Error, Sendable {
    /// The source ended, or the file became shorter, before the announced length, in bytes.
    case tooShort(missing: Int)
    /// The source gave more bytes than were announced.
    case tooLong(excess: Int)
    /// The source gave this reason, or could not be made.
    case failed(any Error)
    /// The source can be read once, and another exchange has begun to, or its task is over.
    case alreadyUsed
    /// The file cannot be read.
    case unreadable(SystemCallError)
    /// The source's trailer fields cannot be sent: a name that has no business there, or an announced length.
    case unencodable(HTTPProtocolError)
}

extension RequestBodyError: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        switch self {
        case .tooShort(let missing): "it ended \(missing) bytes before its announced length"
        case .tooLong(let excess): "it is \(excess) bytes longer than announced"
        case .failed(let error): "its source failed: \(error)"
        case .alreadyUsed: "its source can be read once, and was"
        case .unreadable(let error): "its file cannot be read: \(error)"
        case .unencodable(let error): "\(error)"
        }
    }
}
