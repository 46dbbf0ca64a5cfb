// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

extension SessionError {
    /// An error in the caller's input.
    public enum RequestFailure: Sendable {
        /// The request cannot be sent. No byte was.
        case invalid(InvalidRequest)
        /// The request body could not be sent completely.
        case body(RequestBodyError)
        /// The request could not be authenticated. No byte was sent.
        case unauthenticated(AuthenticationError)
        /// A read from, or write to, a raw stream whose half was closed, or that has ended.
        case streamClosed
    }
}

extension SessionError.RequestFailure: CustomStringConvertible {
    var kind: SessionError.Kind {
        switch self {
        case .invalid: .invalidRequest
        case .body: .requestBody
        case .unauthenticated: .unauthenticated
        case .streamClosed: .streamClosed
        }
    }

    var rule: String {
        switch self {
        case .invalid(.unencodable(let error)): "\(error.reason.rule) (\(error.reason.source))"
        case .invalid, .unauthenticated, .streamClosed: description
        case .body(let error): error.description
        }
    }

    /// One line for a log.
    public var description: String {
        switch self {
        case .invalid(let error): "the request is invalid: \(error)"
        case .body(let error): "the request body could not be sent: \(error)"
        case .unauthenticated(let error): "the request could not be authenticated: \(error)"
        case .streamClosed: "the stream is closed"
        }
    }
}
