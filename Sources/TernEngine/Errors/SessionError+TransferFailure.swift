// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1
public import TernIO
public import TernTLS

extension SessionError {
    /// Why the response did not arrive, or was refused.
    public enum TransferFailure: Sendable {
        /// The connection ended before the response did, or before its handshake was done; nil if the peer closed it in
        /// an orderly way.
        case connectionLost(SystemCallError?)
        /// TLS failed after the handshake, for example because a record was forged or the peer sent a fatal alert. What
        /// arrived before is authentic.
        case tls(TLSError)
        /// The peer violated HTTP/1.1.
        case malformedResponse(HTTPProtocolError)
        /// The response's body does not match its `Content-Encoding`, or exceeds the decoding limits.
        case undecodable(ContentDecodingError)
        /// A body that is collected in memory exceeds `maximumCollectedBodySize`, in bytes.
        case bodyTooLarge(limit: Int)
        /// The system has no memory for a body that was to be collected, although `maximumCollectedBodySize` allows it:
        /// a limit of the process or of its control group is lower.
        case outOfMemory
        /// A redirect was not followed.
        case redirect(RedirectError)
        /// The server switched to another protocol, as the request had asked, and the delegate does not take over, or
        /// the request had not been sent completely. A switch that no request asked for is a `malformedResponse`.
        case upgradeNotTaken
        /// The server was asked to switch to another protocol, and responded with another status than 101.
        case upgradeRefused(status: Int)
        /// The response's content is not what the caller reads it as: lines, values or events.
        case unreadable(StreamedBodyError)
    }
}

extension SessionError.TransferFailure: CustomStringConvertible {
    var kind: SessionError.Kind {
        switch self {
        case .connectionLost: .connectionLost
        case .tls: .tls
        case .malformedResponse: .malformedResponse
        case .undecodable: .undecodable
        case .bodyTooLarge: .bodyTooLarge
        case .outOfMemory: .outOfMemory
        case .redirect: .redirect
        case .upgradeNotTaken: .upgradeNotTaken
        case .upgradeRefused: .upgradeRefused
        case .unreadable(let error): error.kind
        }
    }

    var rule: String {
        switch self {
        case .connectionLost(let error?): error.message
        case .tls(let error): error.description
        case .malformedResponse(let error): "\(error.reason.rule) (\(error.reason.source))"
        case .undecodable(let error): error.description
        case .redirect(let error): error.description
        case .unreadable(let error): error.description
        case .connectionLost(nil), .bodyTooLarge, .outOfMemory, .upgradeNotTaken, .upgradeRefused: description
        }
    }

    /// One line for a log.
    public var description: String {
        switch self {
        case .connectionLost(nil): "the server closed the connection before the response was complete"
        case .connectionLost(let error?): "the connection was lost: \(error)"
        case .tls(let error): "\(error)"
        case .malformedResponse(let error): "the response breaks HTTP/1.1: \(error)"
        case .undecodable(let error): "the body cannot be decoded: \(error)"
        case .bodyTooLarge(let limit): "the body exceeds the \(limit) bytes of maximumCollectedBodySize"
        case .outOfMemory: "the system has no memory for the body"
        case .redirect(let error): "\(error)"
        case .upgradeNotTaken: "the server switched to another protocol, as the request had asked"
        case .upgradeRefused(let status):
            "the server does not switch to the protocol that was asked for: its answer is \(status)"
        case .unreadable(let error): "the content cannot be read: \(error)"
        }
    }
}
