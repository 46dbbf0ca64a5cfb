// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

extension SessionError {
    /// What is wrong with what the caller gave.
    public enum RequestFailure: Sendable {
        /// The request cannot be sent as it is. Nothing was.
        case invalid(InvalidRequest)
        /// The request's content could not be sent whole.
        case content(RequestBodyError)
        /// A raw stream is asked to read or write what it has been told to end, or has ended.
        case streamClosed
    }
}

extension SessionError.RequestFailure: CustomStringConvertible {
    var kind: String {
        switch self {
        case .invalid: "invalid-request"
        case .content: "request-content"
        case .streamClosed: "stream-closed"
        }
    }

    var rule: String {
        switch self {
        case .invalid(.unencodable(let error)): "\(error.reason.rule) (\(error.reason.source))"
        case .invalid, .streamClosed: description
        case .content(let error): error.description
        }
    }

    /// One line for a log.
    public var description: String {
        switch self {
        case .invalid(let error): "the request is invalid: \(error)"
        case .content(let error): "the request's content could not be sent: \(error)"
        case .streamClosed: "the stream is closed"
        }
    }
}
